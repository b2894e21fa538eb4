# packaging.mk -- Debian's packages, the static executable, and the tests of them.

.PHONY: packages static static-archive check-install check-container check-release release release-dry-run
packages:
	@tools/install-deps.sh packages
	@packaging/packages.sh build/packages
static:
	@tools/install-deps.sh static
	@packaging/zydis.sh build/zydis
	@$(MAKE) BUILD=build/static STATIC=yes build/static/softpmu man
static-archive:
	@tools/install-deps.sh static
	@packaging/static.sh build/static-archive
# Both take half an hour and need root; a mirror is asked for what is missing.
check-install:
	@tools/install-deps.sh static packages install
	@packaging/static.sh build/static-archive
	@packaging/check-install.sh
	@packaging/check-static.sh build/static-archive/softpmu-*-x86_64.tar.gz
	@packaging/check-installer.sh build/static-archive/softpmu-*-x86_64.tar.gz
# The steps of the Dockerfile in a bare Debian, then Podman and Docker themselves; a few minutes, root.
check-container: packages
	@tools/install-deps.sh install engines
	@packaging/check-container.sh build/packages
	@packaging/check-engines.sh build/packages
check-release:
	@tools/install-deps.sh static packages install
	@packaging/check-release.sh
release:
	@tools/install-deps.sh static packages
	@packaging/release.sh build/dist
release-dry-run:
	@tools/install-deps.sh static packages
	@packaging/release.sh --dry-run build/dist
