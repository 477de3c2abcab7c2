# shellcheck shell=bash
# Sourced at the start of a test that mounts file systems: starts the test once more, in a view of the file system that is its
# own. Where that cannot be had ORDO_OWN_MOUNTS is none.
if [[ -z ${ORDO_OWN_MOUNTS-} ]]; then
  for how in '' '--map-root-user'; do
    # shellcheck disable=SC2086
    unshare --mount $how mount -t tmpfs -o size=1M none . 2> /dev/null || continue
    ORDO_OWN_MOUNTS=1 exec unshare --mount $how bash -euo pipefail "$0"
  done
  ORDO_OWN_MOUNTS=none
fi
