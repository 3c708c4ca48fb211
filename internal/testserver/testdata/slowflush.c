/* Delays fsync(2) and fdatasync(2), as a slow disk does. SLEDGE_FLUSH_DELAY is the delay in microseconds. */
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void delay(void)
{
	const char *text = getenv("SLEDGE_FLUSH_DELAY");
	long us = text == NULL ? 0 : atol(text);
	struct timespec left = {us / 1000000, us % 1000000 * 1000};
	while (nanosleep(&left, &left) != 0) /* a signal */
		;
}

int fsync(int fd)
{
	delay();
	return (int)syscall(SYS_fsync, fd);
}

int fdatasync(int fd)
{
	delay();
	return (int)syscall(SYS_fdatasync, fd);
}
