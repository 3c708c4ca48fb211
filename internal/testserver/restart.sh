# Restarts a test's database server as an administrator's command would, and fails with the end of the
# server's log if it does not start. It also starts a server that has ended.
#
# usage: restart.sh FOLDER SIGNAL [PROGRAM ARGUMENT...]    without a program it only stops the server
folder=$1
signal=$2
shift 2

# alive reports whether a process is there and no zombie.
alive() {
	case $(ps -o state= -p "$1" 2>/dev/null) in
	'' | Z*) return 1 ;;
	esac
}
ready() { grep -cE 'ready (to accept|for) connections' "$folder/log"; }

pid=$(cat "$folder/pid" 2>/dev/null)
if [ -n "$pid" ]; then
	kill "-$signal" "$pid" 2>/dev/null
	while alive "$pid"; do sleep 0.02; done
fi
# The test binary removes the file when a server ends that it has started.
for _ in 1 2 3 4 5 6 7 8 9 10; do
	[ -e "$folder/pid" ] || break
	sleep 0.02
done
if [ $# = 0 ]; then
	exit
fi
before=$(ready)
# shellcheck disable=SC2016 # The inner shell expands its arguments.
setsid sh -c 'echo $$ >"$1" && shift && exec "$@"' launch "$folder/pid" "$@" </dev/null >>"$folder/log" 2>&1 &
new=$!
while [ "$(ready)" = "$before" ]; do
	if ! alive "$new"; then
		tail -n 3 "$folder/log"
		exit 1
	fi
	sleep 0.02
done
