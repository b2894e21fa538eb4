# site.mk -- the site: documents, units, events, lessons, manual pages as HTML that is read from files, build/site/html/index.html.

.PHONY: site
site: all
	@tools/install-deps.sh site
	rm -rf build/site
	/usr/bin/python3 tools/site/pages.py $(BUILD)/softpmu build/site/source
	/usr/bin/python3 -m sphinx -q -W --keep-going -b html -d build/site/doctrees -c tools/site build/site/source build/site/html
	/usr/bin/python3 tools/site/check-links.py build/site/html
