#!/bin/sh
# Does a complete TPROC-C test with the scripts in this folder, each step in its own console: build,
# check, run, profile, check, result, delete.
#
#	examples/tprocc.sh tcl|python postgresql|mariadb|mysql|sqlite
#
# Environment variables override the defaults of the scripts: HOST PORT PASS and others (see the
# file of the database), WAREHOUSES BUILDERS VUS PROFILE_VUS RAMPUP DURATION PROFILEID UAW. SLEDGE
# is the path of the program; the default is "sledge" from PATH.
set -eu

language=${1:-} DB=${2:-}
folder=$(cd "$(dirname "$0")" && pwd)
case $language in
tcl) extension=tcl ;;
python) extension=py ;;
*) extension= ;;
esac
if [ -z "$extension" ] || [ ! -f "$folder/$language/$DB.$extension" ]; then
	echo "usage: $0 tcl|python postgresql|mariadb|mysql|sqlite" >&2
	exit 2
fi
: "${TMP:=$PWD/TMP}"
mkdir -p "$TMP"
export DB TMP

step() {
	echo "+-+-+-+-+ $DB: $1"
	"${SLEDGE:-sledge}" console "$language" auto "$folder/$language/$1.$extension"
}

step build
step check
step run
(
	VUS=${PROFILE_VUS:-1 2 4 8}
	export VUS
	step profile
)
step check
step result
step delete
