# packaging.mk -- Debian's packages, and the tests of them.

.PHONY: packages check-install
packages:
	@tools/install-deps.sh packages
	@packaging/packages.sh build/packages
check-install:
	@tools/install-deps.sh packages
	@packaging/check-install.sh
