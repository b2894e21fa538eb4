rdpmc
