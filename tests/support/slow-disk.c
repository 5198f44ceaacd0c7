/*
 * Preloaded into a server on Linux: its disk below SLOW_ROOT is slow while the file SLOW_CONTROL/slow exists. Each call
 * there takes 300 ms on the main thread. On any other thread it lasts until that file is gone. SLOW_CONTROL/main and
 * SLOW_CONTROL/threads list these calls, one on a line. Only calls that read are slow. See slow-disk.ts.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define MAIN_THREAD_MS 300
#define POLL_MS 5
#define PATH_BYTES 4096

/* Declares what the C library does itself, as real_<name>. */
#define REAL(name)                         \
  static __typeof__(&name) real_##name;    \
  if (real_##name == NULL) real_##name = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

/* Reads the mode that follows `last` if the flags create a file. */
#define MODE(flags)                        \
  mode_t mode = 0;                         \
  if (flags & (O_CREAT | O_TMPFILE)) {     \
    va_list rest;                          \
    va_start(rest, flags);                 \
    mode = va_arg(rest, mode_t);           \
    va_end(rest);                          \
  }

/* What programs called before the C library had stat64 itself. Node is built for such a library. */
int __xstat64(int version, const char *path, struct stat64 *stats);
int __lxstat64(int version, const char *path, struct stat64 *stats);
int __fxstat64(int version, int file, struct stat64 *stats);

static const char *root;
static char slow_file[PATH_BYTES], main_list[PATH_BYTES], thread_list[PATH_BYTES];

__attribute__((constructor)) static void read_environment(void) {
  const char *control = getenv("SLOW_CONTROL");
  if (control == NULL) return;
  snprintf(slow_file, PATH_BYTES, "%s/slow", control);
  snprintf(main_list, PATH_BYTES, "%s/main", control);
  snprintf(thread_list, PATH_BYTES, "%s/threads", control);
  root = getenv("SLOW_ROOT");
}

static int is_slow(void) {
  REAL(syscall);
  return real_syscall(SYS_faccessat, AT_FDCWD, slow_file, F_OK) == 0;
}

static void sleep_ms(long ms) {
  struct timespec time = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&time, NULL);
}

/* Finds where a descriptor was opened, and adds a name below. */
static int find_path(char *path, int descriptor, const char *name) {
  REAL(syscall);
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  long bytes = real_syscall(SYS_readlinkat, AT_FDCWD, link, path, PATH_BYTES - 1);
  if (bytes < 0) return 0;
  snprintf(path + bytes, PATH_BYTES - bytes, "%s%s", name[0] == 0 || name[0] == '/' ? "" : "/", name);
  return 1;
}

/* Finds the path of what a call names: a path, one below a directory, or with an empty one the descriptor itself. */
static int resolve(char *path, const char *call, int directory, const char *name) {
  int descriptor, bytes = 0;
  if (sscanf(name, "/proc/self/fd/%d%n", &descriptor, &bytes) == 1 && bytes > 0) {
    /* The link is in memory. What it points to is on the disk. */
    if (name[bytes] == 0 && strcmp(call, "readlink") == 0) return 0;
    return find_path(path, descriptor, name + bytes);
  }
  if (name[0] != '/') return directory >= 0 && find_path(path, directory, name);
  snprintf(path, PATH_BYTES, "%s", name);
  return 1;
}

static void note(const char *list, const char *call, const char *path) {
  REAL(syscall);
  char line[PATH_BYTES + 64];
  int bytes = snprintf(line, sizeof line, "%s %s\n", call, path);
  long file = real_syscall(SYS_openat, AT_FDCWD, list, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  real_syscall(SYS_write, file, line, (size_t)bytes);
  real_syscall(SYS_close, file);
}

static void wait_below_root(const char *call, int directory, const char *name) {
  char path[PATH_BYTES];
  if (root == NULL || !is_slow() || !resolve(path, call, directory, name)) return;
  size_t bytes = strlen(root);
  if (strncmp(path, root, bytes) != 0 || (path[bytes] != 0 && path[bytes] != '/')) return;
  if (gettid() == getpid()) {
    note(main_list, call, path);
    sleep_ms(MAIN_THREAD_MS);
  } else {
    note(thread_list, call, path);
    while (is_slow()) sleep_ms(POLL_MS);
  }
}

/* Takes long if a call looks below the root. */
static void look(const char *call, int directory, const char *name) {
  /* readdir reports an error in errno alone. */
  int before = errno;
  wait_below_root(call, directory, name);
  errno = before;
}

int open(const char *path, int flags, ...) {
  REAL(open);
  MODE(flags);
  look("open", AT_FDCWD, path);
  return real_open(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  REAL(open64);
  MODE(flags);
  look("open", AT_FDCWD, path);
  return real_open64(path, flags, mode);
}

int openat(int directory, const char *path, int flags, ...) {
  REAL(openat);
  MODE(flags);
  look("open", directory, path);
  return real_openat(directory, path, flags, mode);
}

ssize_t read(int file, void *bytes, size_t size) {
  REAL(read);
  look("read", file, "");
  return real_read(file, bytes, size);
}

ssize_t readv(int file, const struct iovec *parts, int count) {
  REAL(readv);
  look("read", file, "");
  return real_readv(file, parts, count);
}

ssize_t pread64(int file, void *bytes, size_t size, off64_t offset) {
  REAL(pread64);
  look("read", file, "");
  return real_pread64(file, bytes, size, offset);
}

ssize_t readlink(const char *path, char *bytes, size_t size) {
  REAL(readlink);
  look("readlink", AT_FDCWD, path);
  return real_readlink(path, bytes, size);
}

char *realpath(const char *path, char *resolved) {
  REAL(realpath);
  look("realpath", AT_FDCWD, path);
  return real_realpath(path, resolved);
}

int access(const char *path, int mode) {
  REAL(access);
  look("access", AT_FDCWD, path);
  return real_access(path, mode);
}

int statfs64(const char *path, struct statfs64 *stats) {
  REAL(statfs64);
  look("statfs", AT_FDCWD, path);
  return real_statfs64(path, stats);
}

int __xstat64(int version, const char *path, struct stat64 *stats) {
  REAL(__xstat64);
  look("stat", AT_FDCWD, path);
  return real___xstat64(version, path, stats);
}

int __lxstat64(int version, const char *path, struct stat64 *stats) {
  REAL(__lxstat64);
  look("stat", AT_FDCWD, path);
  return real___lxstat64(version, path, stats);
}

int __fxstat64(int version, int file, struct stat64 *stats) {
  REAL(__fxstat64);
  look("stat", file, "");
  return real___fxstat64(version, file, stats);
}

DIR *opendir(const char *path) {
  REAL(opendir);
  look("opendir", AT_FDCWD, path);
  return real_opendir(path);
}

DIR *fdopendir(int file) {
  REAL(fdopendir);
  look("opendir", file, "");
  return real_fdopendir(file);
}

struct dirent64 *readdir64(DIR *directory) {
  REAL(readdir64);
  look("readdir", dirfd(directory), "");
  return real_readdir64(directory);
}

int scandir64(const char *path, struct dirent64 ***found, int (*filter)(const struct dirent64 *),
              int (*compare)(const struct dirent64 **, const struct dirent64 **)) {
  REAL(scandir64);
  look("scandir", AT_FDCWD, path);
  return real_scandir64(path, found, filter, compare);
}

int inotify_add_watch(int watch, const char *path, uint32_t mask) {
  REAL(inotify_add_watch);
  look("watch", AT_FDCWD, path);
  return real_inotify_add_watch(watch, path, mask);
}

/* libuv looks at files with statx, which it calls by its number. */
long syscall(long number, ...) {
  REAL(syscall);
  long given[6];
  va_list rest;
  va_start(rest, number);
  for (int nth = 0; nth < 6; nth++) given[nth] = va_arg(rest, long);
  va_end(rest);
  if (number == SYS_statx) look("stat", (int)given[0], (const char *)given[1]);
  return real_syscall(number, given[0], given[1], given[2], given[3], given[4], given[5]);
}
