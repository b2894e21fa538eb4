# conf.py -- Sphinx's settings for the site (make site).
import os

project = "softpmu"
copyright = "the softpmu authors"
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
root_doc = "index"
exclude_patterns = []
myst_heading_anchors = 4
highlight_language = "none"
html_theme = "alabaster"
html_theme_options = {
    "description": "events of the Pentium and P6, counted in software",
    "page_width": "1240px",
    "sidebar_width": "250px",
    "fixed_sidebar": False,
    "show_powered_by": False,
}
html_sidebars = {"**": ["about.html", "searchbox.html", "navigation.html"]}
html_static_path = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "site.css")]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
# Pages are read from file://, where a script may load no other page.
html_show_search_summary = False
html_permalinks = False
