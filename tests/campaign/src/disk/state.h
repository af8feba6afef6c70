/*
 * A disk that loses power and makes mistakes, for one process.
 *
 * Preloaded into the program under test, it stands between the program and the files below one directory. What is
 * written goes through to the files, and beside it the library keeps what was there at the last fsync. At the cut
 * the process is killed and what it had not synced is taken back: of the pages all or, by a generator of random
 * numbers, some; of the entries of directories (made, removed, renamed) some of the latest, in reverse order. That is what
 * POSIX promises and no more: a file is there for certain only once its directory was synced.
 *
 * The campaign and the library share a file of 64-bit numbers, which is mapped here and read and written there.
 * fsync itself is not carried out: there is no power cut that it would have to outlast, and campaigns are faster.
 * Calls go through one lock, so that what happens first is counted first. The library is built for Linux; it sees
 * calls through the C library only, which is what SQLite and Rust's std make.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { PAGE = 4096, SECTOR = 512, BUCKETS = 1024, FILES = 512, DESCRIPTORS = 65536 };

/* The shared numbers; `disk.rs` has them in the same order. */
struct control {
    volatile uint64_t calls;         /* calls about files of the directory so far */
    volatile uint64_t cut_at;        /* the power is cut instead of this call; 0: not */
    volatile uint64_t seed;          /* decides what outlasts the cut; 0: nothing that was not synced */
    volatile uint64_t fault_after;   /* so many calls of the kinds below are carried out first */
    volatile uint64_t fault_count;   /* then so many fail */
    volatile uint64_t fault_error;   /* with this errno */
    volatile uint64_t fault_kinds;   /* WRITES | SYNCS | NAMES */
    volatile uint64_t faults;        /* calls that failed for it so far */
    volatile uint64_t lies;          /* not 0: fsync says that all is well and does nothing */
    volatile uint64_t done;          /* 1 when the cut is complete */
    volatile uint64_t pages_lost;    /* pages that the cut took back, whole or in part */
    volatile uint64_t names_lost;    /* entries of directories that the cut took back */
};
enum { WRITES = 1, SYNCS = 2, NAMES = 4 };

/* A page that was written to since the last sync, and what it held then. */
struct page {
    uint64_t number;
    struct page *next;
    /* A sync of this page failed. The kernel then takes it for clean: no later sync saves it, another write does. */
    int forgotten;
    unsigned char before[PAGE];
};

/* A file of the directory, for as long as the process runs: closing a descriptor would end SQLite's locks on it. */
struct file {
    dev_t device;
    ino_t inode;
    int descriptor;
    off_t synced_size;
    int resized;
    struct page *pages[BUCKETS];
};

/* An entry of a directory that was changed and not synced. */
struct name {
    enum { MADE, MADE_DIRECTORY, REMOVED, RENAMED } what;
    char path[PATH_MAX], other[PATH_MAX], kept[PATH_MAX];
    dev_t device;
    ino_t directory;
};

static struct control *control;
static char directory[PATH_MAX], aside[PATH_MAX];
static size_t directory_length;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct file files[FILES];
static int file_count;
static struct file *of_descriptor[DESCRIPTORS];
static struct name *names;
static size_t name_count, name_room;
static uint64_t kept_count;

static int real_open(const char *path, int flags, mode_t mode) {
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

__attribute__((constructor)) static void start(void) {
    const char *path = getenv("CAMPAIGN_DISK_CONTROL"), *below = getenv("CAMPAIGN_DISK_DIRECTORY");
    const char *keep = getenv("CAMPAIGN_DISK_ASIDE");
    if (!path || !below || !keep) return;
    int descriptor = real_open(path, O_RDWR | O_CLOEXEC, 0);
    if (descriptor < 0) return;
    void *mapped = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    syscall(SYS_close, descriptor);
    if (mapped == MAP_FAILED) return;
    snprintf(directory, sizeof directory, "%s", below);
    snprintf(aside, sizeof aside, "%s", keep);
    directory_length = strlen(directory);
    control = mapped;
}

/* Whether a path is the directory or below it. The server is given an absolute path. */
static int ours(const char *path) {
    return control && path && strncmp(path, directory, directory_length) == 0 &&
           (path[directory_length] == '/' || path[directory_length] == 0);
}

/* The index of the write-ahead log is memory that processes share. SQLite makes it anew after a crash. */
static int is_shared_memory(const char *path) {
    size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, "-shm") == 0;
}

static struct file *known(const struct stat *facts) {
    for (int i = 0; i < file_count; i++)
        if (files[i].device == facts->st_dev && files[i].inode == facts->st_ino) return &files[i];
    return NULL;
}

static void fail_loudly(const char *what) {
    dprintf(2, "campaign disk: %s\n", what);
    abort();
}

static struct file *learn(int descriptor, const char *path) {
    struct stat facts;
    if (fstat(descriptor, &facts) != 0 || !(S_ISREG(facts.st_mode) || S_ISDIR(facts.st_mode))) return NULL;
    struct file *file = known(&facts);
    if (file) return file;
    if (file_count == FILES) fail_loudly("more files than it was made for");
    file = &files[file_count++];
    file->device = facts.st_dev;
    file->inode = facts.st_ino;
    file->synced_size = facts.st_size;
    file->descriptor = real_open(path, (S_ISDIR(facts.st_mode) ? O_RDONLY : O_RDWR) | O_CLOEXEC, 0);
    if (file->descriptor < 0) fail_loudly("a file that cannot be opened a second time");
    return file;
}

static struct file *at(int descriptor) {
    if (!control || descriptor < 0 || descriptor >= DESCRIPTORS) return NULL;
    return of_descriptor[descriptor];
}

/* Keeps what the pages of a range hold, unless that is known from an earlier write. */
static void remember(struct file *file, off_t offset, off_t length) {
    if (length <= 0) return;
    for (uint64_t number = (uint64_t)offset / PAGE; number <= (uint64_t)(offset + length - 1) / PAGE; number++) {
        struct page **bucket = &file->pages[number % BUCKETS], *page = *bucket;
        while (page && page->number != number) page = page->next;
        if (page) {
            page->forgotten = 0;
            continue;
        }
        page = calloc(1, sizeof *page);
        if (!page) fail_loudly("no memory");
        page->number = number;
        /* Behind the end of the file it stays zeros, as a file with a hole reads. */
        if (pread(file->descriptor, page->before, PAGE, (off_t)number * PAGE) < 0) fail_loudly("cannot read");
        page->next = *bucket;
        *bucket = page;
    }
}

static void synced(struct file *file) {
    struct stat facts;
    for (int i = 0; i < BUCKETS; i++)
        for (struct page **link = &file->pages[i]; *link;) {
            struct page *page = *link;
            if (page->forgotten) {
                link = &page->next;
                continue;
            }
            *link = page->next;
            free(page);
        }
    if (fstat(file->descriptor, &facts) == 0) file->synced_size = facts.st_size;
    size_t left = 0;
    for (size_t i = 0; i < name_count; i++)
        if (names[i].device != file->device || names[i].directory != file->inode) names[left++] = names[i];
    name_count = left;
}

static void forget(struct file *file) {
    for (int i = 0; i < BUCKETS; i++)
        for (struct page *page = file->pages[i]; page; page = page->next) page->forgotten = 1;
}

static uint64_t next(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Takes back what was not synced in one file: of each page all, some sectors, or nothing. */
static void take_back(struct file *file, uint64_t *random) {
    struct stat facts;
    if (fstat(file->descriptor, &facts) != 0 || !S_ISREG(facts.st_mode)) return;
    off_t size = facts.st_size;
    for (int i = 0; i < BUCKETS; i++)
        for (struct page *page = file->pages[i]; page; page = page->next) {
            uint64_t choice = *random ? next(random) % 4 : 0;
            if (choice == 3) continue;
            uint64_t sectors = choice == 2 ? next(random) : UINT64_MAX;
            for (int sector = 0; sector < PAGE / SECTOR; sector++)
                if (sectors >> sector & 1 &&
                    pwrite(file->descriptor, page->before + sector * SECTOR, SECTOR,
                           (off_t)page->number * PAGE + sector * SECTOR) != SECTOR)
                    _exit(99);
            control->pages_lost++;
        }
    /* A new length is written with the entries of the directory, so it comes through or not, as a whole. */
    off_t end = *random && next(random) % 2 ? size : file->synced_size;
    if (ftruncate(file->descriptor, end) != 0) _exit(99);
}

static void take_names_back(uint64_t *random) {
    /* A journal of metadata keeps their order: some of the first come through, the rest does not. */
    size_t through = *random ? next(random) % (name_count + 1) : 0;
    for (size_t i = name_count; i > through; i--) {
        struct name *name = &names[i - 1];
        if (name->what == MADE) syscall(SYS_unlink, name->path);
        if (name->what == MADE_DIRECTORY) syscall(SYS_rmdir, name->path);
        if (name->what == REMOVED) syscall(SYS_rename, name->kept, name->path);
        if (name->what == RENAMED) {
            syscall(SYS_rename, name->other, name->path);
            if (name->kept[0]) syscall(SYS_rename, name->kept, name->other);
        }
        control->names_lost++;
    }
}

/*
 * Cuts the power. A child does the work after the process is gone, so that nobody reads what is taken back; it lets go of
 * the sockets first, so that the other side sees the end at once.
 */
static void cut(void) {
    uint64_t random = control->seed;
    pid_t parent = getpid(), child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (child != 0) {
        syscall(SYS_kill, parent, SIGKILL);
        for (;;) pause();
    }
    for (int descriptor = 0; descriptor < DESCRIPTORS; descriptor++) {
        int needed = 0;
        for (int i = 0; i < file_count; i++) needed |= files[i].descriptor == descriptor;
        if (!needed) syscall(SYS_close, descriptor);
    }
    while (getppid() == parent) usleep(200);
    for (int i = 0; i < file_count; i++) take_back(&files[i], &random);
    take_names_back(&random);
    control->done = 1;
    _exit(0);
}

/* Counts a call under the lock: cuts the power instead of it, or says with which errno it has to fail (0: not). */
static int counted(int kind) {
    control->calls++;
    if (control->cut_at && control->calls >= control->cut_at) cut();
    if (!control->fault_count || !(control->fault_kinds & (uint64_t)kind)) return 0;
    if (control->fault_after) {
        control->fault_after--;
        return 0;
    }
    control->fault_count--;
    control->faults++;
    return (int)control->fault_error;
}

static void set_parent(struct name *name, const char *path) {
    char parent[PATH_MAX];
    struct stat facts;
    snprintf(parent, sizeof parent, "%s", path);
    char *slash = strrchr(parent, '/');
    if (slash) *slash = 0;
    if (stat(parent, &facts) != 0) fail_loudly("a directory is gone");
    name->device = facts.st_dev;
    name->directory = facts.st_ino;
}

static struct name *change_name(int what, const char *path) {
    if (name_count == name_room) {
        name_room = name_room ? name_room * 2 : 64;
        names = realloc(names, name_room * sizeof *names);
        if (!names) fail_loudly("no memory");
    }
    struct name *name = &names[name_count++];
    memset(name, 0, sizeof *name);
    name->what = what;
    snprintf(name->path, sizeof name->path, "%s", path);
    set_parent(name, path);
    return name;
}

/* Keeps a file that is about to lose its name, by another one. */
static void keep(char *kept, const char *path) {
    snprintf(kept, PATH_MAX, "%.4000s/%d-%llu", aside, (int)getpid(), (unsigned long long)kept_count++);
    if (link(path, kept) != 0) kept[0] = 0;
}
