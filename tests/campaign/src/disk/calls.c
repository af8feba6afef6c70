/* The calls that stand between the program and its files. What they remember, and the cut, are in state.h. */
#include "state.h"

static int opened(const char *path, int flags, mode_t mode) {
    int is_nameless = (flags & O_TMPFILE) == O_TMPFILE;
    if (!ours(path) || is_shared_memory(path) || is_nameless) return real_open(path, flags, mode);
    pthread_mutex_lock(&lock);
    int is_new = flags & O_CREAT && access(path, F_OK) != 0;
    int error = is_new ? counted(NAMES) : 0;
    /* What the file held before it is cut to nothing has to be kept first. */
    int descriptor = error ? -1 : real_open(path, flags & ~O_TRUNC, mode);
    if (error) errno = error;
    if (descriptor >= 0 && descriptor < DESCRIPTORS) {
        if (is_new) change_name(MADE, path);
        struct file *file = of_descriptor[descriptor] = learn(descriptor, path);
        struct stat facts;
        if (file && flags & O_TRUNC && fstat(descriptor, &facts) == 0 && facts.st_size > 0) {
            remember(file, 0, facts.st_size);
            if (ftruncate(file->descriptor, 0) != 0) fail_loudly("cannot truncate");
        }
    }
    int saved = errno;
    pthread_mutex_unlock(&lock);
    errno = saved;
    return descriptor;
}

#define OPENS(name)                                                                                                    \
    int name(const char *path, int flags, ...) {                                                                       \
        va_list rest;                                                                                                  \
        va_start(rest, flags);                                                                                         \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;                                        \
        va_end(rest);                                                                                                  \
        return opened(path, flags, mode);                                                                              \
    }
OPENS(open)
OPENS(open64)

#define OPENS_AT(name)                                                                                                 \
    int name(int from, const char *path, int flags, ...) {                                                             \
        va_list rest;                                                                                                  \
        va_start(rest, flags);                                                                                         \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;                                        \
        va_end(rest);                                                                                                  \
        if (path[0] == '/') return opened(path, flags, mode);                                                          \
        return (int)syscall(SYS_openat, from, path, flags, mode);                                                      \
    }
OPENS_AT(openat)
OPENS_AT(openat64)

int close(int descriptor) {
    if (control && descriptor >= 0 && descriptor < DESCRIPTORS) of_descriptor[descriptor] = NULL;
    return (int)syscall(SYS_close, descriptor);
}

/* A write at a place (or, with a negative one, where the descriptor stands), after what it covers was kept. */
static ssize_t written(int descriptor, const void *bytes, size_t length, off_t offset) {
    struct file *file = at(descriptor);
    if (file) {
        pthread_mutex_lock(&lock);
        int error = counted(WRITES);
        if (error) {
            pthread_mutex_unlock(&lock);
            errno = error;
            return -1;
        }
        off_t place = offset;
        if (place < 0) {
            struct stat facts;
            int appends = fcntl(descriptor, F_GETFL) & O_APPEND;
            place = appends && fstat(descriptor, &facts) == 0 ? facts.st_size : lseek(descriptor, 0, SEEK_CUR);
        }
        remember(file, place, (off_t)length);
    }
    ssize_t done = offset < 0 ? syscall(SYS_write, descriptor, bytes, length)
                              : syscall(SYS_pwrite64, descriptor, bytes, length, offset);
    if (file) {
        int saved = errno;
        pthread_mutex_unlock(&lock);
        errno = saved;
    }
    return done;
}

ssize_t write(int descriptor, const void *bytes, size_t length) { return written(descriptor, bytes, length, -1); }
ssize_t pwrite(int descriptor, const void *bytes, size_t length, off_t offset) {
    return written(descriptor, bytes, length, offset);
}
ssize_t pwrite64(int descriptor, const void *bytes, size_t length, off_t offset) {
    return written(descriptor, bytes, length, offset);
}

/* One part after the other: a short write is allowed, and callers go on from there. */
ssize_t writev(int descriptor, const struct iovec *parts, int count) {
    if (!at(descriptor) || count < 1) return syscall(SYS_writev, descriptor, parts, count);
    return written(descriptor, parts[0].iov_base, parts[0].iov_len, -1);
}

static int truncated(int descriptor, off_t length) {
    struct file *file = at(descriptor);
    if (!file) return (int)syscall(SYS_ftruncate, descriptor, length);
    pthread_mutex_lock(&lock);
    struct stat facts;
    int error = counted(WRITES), done = -1;
    if (!error && fstat(descriptor, &facts) == 0) {
        if (facts.st_size > length) remember(file, length, facts.st_size - length);
        done = (int)syscall(SYS_ftruncate, descriptor, length);
    }
    int saved = error ? error : errno;
    pthread_mutex_unlock(&lock);
    errno = saved;
    return done;
}

int ftruncate(int descriptor, off_t length) { return truncated(descriptor, length); }
int ftruncate64(int descriptor, off_t length) { return truncated(descriptor, length); }

static int sync_file(int descriptor, long number) {
    struct file *file = at(descriptor);
    if (!file) return (int)syscall(number, descriptor);
    pthread_mutex_lock(&lock);
    int error = counted(SYNCS);
    if (error) forget(file);
    else if (!control->lies) synced(file);
    pthread_mutex_unlock(&lock);
    if (error) errno = error;
    return error ? -1 : 0;
}

int fsync(int descriptor) { return sync_file(descriptor, SYS_fsync); }
int fdatasync(int descriptor) { return sync_file(descriptor, SYS_fdatasync); }

int unlink(const char *path) {
    if (!ours(path) || is_shared_memory(path)) return (int)syscall(SYS_unlink, path);
    char kept[PATH_MAX];
    pthread_mutex_lock(&lock);
    int error = counted(NAMES), done = -1;
    if (!error) {
        keep(kept, path);
        done = (int)syscall(SYS_unlink, path);
        if (done == 0 && kept[0]) strcpy(change_name(REMOVED, path)->kept, kept);
    }
    int saved = error ? error : errno;
    pthread_mutex_unlock(&lock);
    errno = saved;
    return done;
}

int rename(const char *path, const char *to) {
    if (!ours(path) || !ours(to)) return (int)syscall(SYS_rename, path, to);
    char kept[PATH_MAX];
    pthread_mutex_lock(&lock);
    int error = counted(NAMES), done = -1;
    if (!error) {
        keep(kept, to);
        done = (int)syscall(SYS_rename, path, to);
        if (done == 0) {
            struct name *name = change_name(RENAMED, to);
            strcpy(name->path, path);
            snprintf(name->other, sizeof name->other, "%s", to);
            strcpy(name->kept, kept);
        }
    }
    int saved = error ? error : errno;
    pthread_mutex_unlock(&lock);
    errno = saved;
    return done;
}

int mkdir(const char *path, mode_t mode) {
    if (!ours(path)) return (int)syscall(SYS_mkdir, path, mode);
    pthread_mutex_lock(&lock);
    int error = counted(NAMES), done = -1;
    if (!error) {
        done = (int)syscall(SYS_mkdir, path, mode);
        /* The directory as a whole is the campaign's own; what counts is what is in it. */
        if (done == 0 && path[directory_length]) change_name(MADE_DIRECTORY, path);
    }
    int saved = error ? error : errno;
    pthread_mutex_unlock(&lock);
    errno = saved;
    return done;
}
