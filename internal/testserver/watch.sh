# Ends a test's database server and removes its folder after the test binary has
# ended. Only the test binary has the other end of the standard input, a pipe, so
# the kernel closes it when the binary ends, for any reason.
#
# usage: watch.sh FOLDER SIGNAL, the signal being a number
folder=$1
signal=$2

while read -r _; do :; done

if pid=$(cat "$folder/pid" 2>/dev/null) && [ -n "$pid" ]; then
	# A stopped server and its children must continue before they can end.
	children=$(ps -A -o pid= -o ppid= | awk -v parent="$pid" '$2 == parent { print $1 }')
	# shellcheck disable=SC2086 # $children is a list.
	kill -s CONT $pid $children 2>/dev/null
	kill "-$signal" "$pid" 2>/dev/null
	tries=0
	while kill -0 "$pid" 2>/dev/null; do
		tries=$((tries + 1))
		if [ "$tries" -gt 200 ]; then
			# shellcheck disable=SC2086
			kill -s KILL $pid $children 2>/dev/null
			break
		fi
		sleep 0.05
	done
fi

# A process may still be writing into the data folder: it ends when the folder is gone.
for _ in 1 2 3 4 5 6 7 8 9 10; do
	rm -rf "$folder" 2>/dev/null && break
	sleep 0.2
done
