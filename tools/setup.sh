#!/bin/sh
# Installs the Debian packages that are missing (root or sudo). Says what it does; does nothing the second time.
set -eu
list=$(dirname "$0")/debian-packages.txt
missing=""
for entry in $(grep -v '^#' "$list"); do
  case "$entry" in
    *:*) command -v "${entry%%:*}" >/dev/null 2>&1 || missing="$missing ${entry#*:}" ;;
    *) dpkg-query -W -f='${Status}' "$entry" 2>/dev/null | grep -q 'ok installed' || missing="$missing $entry" ;;
  esac
done
[ -n "$missing" ] || exit 0
echo "setup: installing$missing"
as_root=""
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null 2>&1 || {
    echo "setup: packages are missing and there is neither root nor sudo; install them first:$missing" >&2
    exit 1
  }
  as_root=sudo
fi
$as_root apt-get update -qq
# shellcheck disable=SC2086 # the list is meant to be split
DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null
