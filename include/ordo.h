/* The C interface of the sort core: sorts of arrays in the memory of a CPU or GPU, for C99 and for every language that calls C.
 *
 * A machine is a CPU or a GPU with threads or a stream, and temporary memory that is reused from call to call. Create one, keep
 * it, and pass it to the sorts. One machine must not be used by two threads at a time; different machines may.
 *
 * Arrays are in the machine's memory: host memory for a CPU, device memory for a GPU. A GPU queues its work on its stream, in
 * order with the caller's own work there. A CPU has finished when the call returns.
 *
 * Each function that returns an ordo_status returns ORDO_OK, or the kind of the error; ordo_last_error() then returns its text.
 * No exception leaves a call. Null pointers, unknown constants, wrong lengths and misaligned arrays are ORDO_USAGE_ERROR, and
 * are found before anything is read or written.
 *
 * Structures of options begin with their size, so that later versions can add members: set it with the macros ..._INIT. Members
 * that are 0 have their defaults.
 *
 * ordo/sort.hpp states what each sort does, which calls wait for a GPU, and which can be captured in a CUDA graph.
 */
#ifndef ORDO_H
#define ORDO_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

/* The outcome of a call. */
typedef int32_t ordo_status;
enum {
  ORDO_OK = 0,
  ORDO_USAGE_ERROR = 1,   /* an argument or device that cannot be used */
  ORDO_INPUT_ERROR = 2,   /* an input that is missing, truncated or malformed */
  ORDO_OUTPUT_ERROR = 3,  /* an output that could not be written completely */
  ORDO_OUT_OF_MEMORY = 4, /* the machine has too little memory; arrays hold a permutation of their items */
  ORDO_DEVICE_ERROR = 5,  /* a CUDA call or kernel failed */
  ORDO_OTHER_ERROR = 6    /* any other exception, as of the C++ library */
};

/* The type of keys, offsets or an index. */
typedef int32_t ordo_type;
enum {
  ORDO_INT8 = 1,
  ORDO_INT16 = 2,
  ORDO_INT32 = 3,
  ORDO_INT64 = 4,
  ORDO_UINT8 = 5, /* also for bool */
  ORDO_UINT16 = 6,
  ORDO_UINT32 = 7,
  ORDO_UINT64 = 8,
  ORDO_FLOAT16 = 9, /* IEEE 754 binary16 */
  ORDO_BFLOAT16 = 10,
  ORDO_FLOAT32 = 11,
  ORDO_FLOAT64 = 12,
  /* For ordo_row_key alone: integers of two and four words of 64 bits, the lowest first, as Arrow's decimals of one scale are;
   * and strings of value_bytes bytes, which order as memcmp has it. */
  ORDO_INT128 = 13,
  ORDO_UINT128 = 14,
  ORDO_INT256 = 15,
  ORDO_BYTES = 16
};

/* The direction of a sort. Sorts are stable in both. */
typedef int32_t ordo_order;
enum { ORDO_ASCENDING = 0, ORDO_DESCENDING = 1 };

/* The place of NaNs: by their sign before or after all numbers, as in IEEE 754 totalOrder; after all numbers in both
 * directions, as in NumPy, pandas and Arrow; before all numbers in both directions; or as the greatest of all, after the
 * numbers in ascending and before them in descending order, as in PyTorch and JAX. */
typedef int32_t ordo_nans;
enum {
  ORDO_NANS_TOTAL_ORDER = 0,
  ORDO_NANS_LAST = 1,
  ORDO_NANS_FIRST = 2, /* for ordo_row_key alone */
  ORDO_NANS_GREATEST = 3
};

/* The kind of a machine. */
typedef int32_t ordo_device;
enum { ORDO_CPU = 1, ORDO_GPU = 2 };

typedef struct ordo_machine ordo_machine;

/* The caller's source of temporary memory. `allocate` returns at least `bytes` bytes, aligned to 256, or NULL if there is no
 * more memory. `stream` is the cudaStream_t on which the memory is used, and NULL for a CPU. A block may be freed while work
 * that uses it is still queued on `stream`. The functions are called by the thread that calls the machine, and must not throw
 * or jump out of the call. */
typedef struct ordo_allocator {
  void* (*allocate)(void* context, size_t bytes, void* stream);
  void (*deallocate)(void* context, void* block, size_t bytes, void* stream);
  void* context;
} ordo_allocator;

typedef struct ordo_cpu_options {
  size_t size;              /* sizeof(ordo_cpu_options) */
  uint32_t threads;         /* 0 for all threads that the process may use, which is also the maximum */
  uint32_t reserved;        /* 0 */
  size_t memory_limit;      /* maximum of temporary memory in bytes; 0 for no limit */
  ordo_allocator allocator; /* without `allocate`, a pool of the machine */
} ordo_cpu_options;
#define ORDO_CPU_OPTIONS_INIT            \
  {                                      \
    sizeof(ordo_cpu_options), 0, 0, 0, { \
      NULL, NULL, NULL                   \
    }                                    \
  }

typedef struct ordo_gpu_options {
  size_t size;              /* sizeof(ordo_gpu_options) */
  uint32_t device;          /* index of the GPU, among those that the driver shows */
  uint32_t use_stream;      /* 1: queue work on `stream`; 0: on a stream that the machine creates */
  void* stream;             /* a cudaStream_t; NULL is CUDA's default stream */
  size_t memory_limit;      /* maximum of device memory in bytes; 0 for no limit */
  ordo_allocator allocator; /* without `allocate`, a pool of the machine over cudaMalloc */
  uint32_t capturable;      /* 1: sorts of whole arrays never wait for the device, as while a CUDA graph is captured */
  uint32_t reserved;        /* 0 */
} ordo_gpu_options;
#define ORDO_GPU_OPTIONS_INIT \
  { sizeof(ordo_gpu_options), 0, 0, NULL, 0, {NULL, NULL, NULL}, 0, 0 }

/* Creates a machine in *machine. It allocates no memory of the device before its first sort. `options` may be NULL. On failure
 * *machine is NULL. A GPU that does not exist is an error of the first call that needs it. */
ordo_status ordo_cpu_create(ordo_machine** machine, ordo_cpu_options const* options);
ordo_status ordo_gpu_create(ordo_machine** machine, ordo_gpu_options const* options);

/* Creates in *view the machine of a GPU on another stream, a cudaStream_t of its device: calls of the view queue their work
 * there, with the memory of the machine. Allocates nothing on the device and does not wait. The view must be freed before the
 * machine, and must not be used by another thread at the same time as the machine or another view. */
ordo_status ordo_gpu_on_stream(ordo_machine** view, ordo_machine* machine, void* stream);

/* Waits for the machine's work and frees the machine with its memory. NULL is allowed. */
void ordo_machine_free(ordo_machine* machine);

/* Writes the number of GPUs that the driver shows: 0 without a driver, and in a build without CUDA. */
ordo_status ordo_gpu_count(size_t* count);

/* Write the kind of a machine, and the cudaStream_t of a GPU. */
ordo_status ordo_machine_device(ordo_machine const* machine, ordo_device* device);
ordo_status ordo_machine_stream(ordo_machine* machine, void** stream);

/* Waits for all queued work. Returns at once for a CPU. */
ordo_status ordo_synchronize(ordo_machine* machine);

/* Reserves `bytes` bytes of temporary memory. Later calls that need no more allocate nothing: reserve what ordo_..._memory
 * states. */
ordo_status ordo_reserve(ordo_machine* machine, size_t bytes);
/* Frees cached temporary memory until at most `max_bytes` bytes remain. */
ordo_status ordo_trim(ordo_machine* machine, size_t max_bytes);
/* Writes the maximum number of bytes of temporary memory in use since the last call of this function. */
ordo_status ordo_peak_memory(ordo_machine* machine, size_t* bytes);

/* What is common to all sorts. NULL in its place means ascending order of all bits. nans and equal_zeros are for floating-point
 * keys; equal zeros cost extra memory and time in sorts that write keys. */
typedef struct ordo_sort_options {
  size_t size;          /* sizeof(ordo_sort_options) */
  ordo_order order;     /* ORDO_ASCENDING or ORDO_DESCENDING */
  uint32_t begin_bit;   /* the bits [begin_bit, end_bit) of the encoded keys are compared, where bit 0 is the lowest; */
  uint32_t end_bit;     /* 0 means the width of the keys */
  uint32_t keep_keys;   /* 1: ordo_sort_segments reorders the values alone and does not write the keys */
  ordo_nans nans;       /* ORDO_NANS_TOTAL_ORDER, ORDO_NANS_LAST or ORDO_NANS_GREATEST */
  uint32_t equal_zeros; /* 1: -0.0 and +0.0 are equal; 0: -0.0 comes first */
} ordo_sort_options;
#define ORDO_SORT_OPTIONS_INIT \
  { sizeof(ordo_sort_options), ORDO_ASCENDING, 0, 0, 0, ORDO_NANS_TOTAL_ORDER, 0 }

/* The segments of an array, which are sorted independently. There are three forms:
 *   begins and ends     segment s is [begins[s], ends[s]), for s < count. Segments may leave holes, which are not written
 *   begins alone        count + 1 offsets: segment s is [begins[s], begins[s + 1])
 *   uniform_length      `count` adjacent segments of this length, from position 0; begins and ends are NULL
 * Offsets are in the machine's memory. Negative offsets are errors as far as offsets are checked: see ordo_check_segments. */
typedef struct ordo_segments {
  size_t size;  /* sizeof(ordo_segments) */
  size_t count; /* number of segments */
  void const* begins;
  void const* ends;
  size_t uniform_length; /* 0 if there are offsets */
  size_t max_length;     /* upper bound of the lengths, which saves memory on a GPU; 0 for none */
  ordo_type offset_type; /* ORDO_INT32, ORDO_UINT32, ORDO_INT64 or ORDO_UINT64; ignored for uniform segments */
  uint32_t reserved;     /* 0 */
} ordo_segments;
#define ORDO_SEGMENTS_INIT \
  { sizeof(ordo_segments), 0, NULL, NULL, 0, 0, 0, 0 }

/* Sorts n keys in place. Stable. Integers order by value, floating-point keys by IEEE 754 totalOrder. */
ordo_status ordo_sort_keys(ordo_machine* machine, ordo_type key_type, void* keys, size_t n, ordo_sort_options const* options);

/* Sorts n keys in place, and moves the value of `value_bytes` bytes at each position with its key. Stable. Values of
 * 4, 8 and 16 bytes at an address that is a multiple of their width are moved fastest. */
ordo_status ordo_sort_pairs(ordo_machine* machine, ordo_type key_type, void* keys, size_t value_bytes, void* values, size_t n,
                            ordo_sort_options const* options);

/* Do the same, and write the sorted keys and values of keys_in and values_in to `keys` and `values`. The inputs are not
 * changed. Each may be its output itself, and overlaps no output otherwise. */
ordo_status ordo_sort_keys_copy(ordo_machine* machine, ordo_type key_type, void const* keys_in, void* keys, size_t n,
                                ordo_sort_options const* options);
ordo_status ordo_sort_pairs_copy(ordo_machine* machine, ordo_type key_type, void const* keys_in, void* keys, size_t value_bytes,
                                 void const* values_in, void* values, size_t n, ordo_sort_options const* options);

/* Writes to index[i] the position of the i-th smallest key. Positions of equal keys ascend. The keys are not changed.
 * `index_type` is ORDO_INT32, ORDO_UINT32, ORDO_INT64 or ORDO_UINT64. */
ordo_status ordo_argsort(ordo_machine* machine, ordo_type key_type, void const* keys, ordo_type index_type, void* index,
                         size_t n, ordo_sort_options const* options);

/* Sorts the keys of each segment in place, and moves values with them. Stable. Never waits for a GPU. With `value_bytes` 0
 * there are no values. `heads` is NULL, or n bytes: heads[i] becomes 1 where a group of equal keys begins within a segment,
 * else 0. */
ordo_status ordo_sort_segments(ordo_machine* machine, ordo_type key_type, void* keys, size_t value_bytes, void* values,
                               size_t n, ordo_segments const* segments, uint8_t* heads, ordo_sort_options const* options);

/* Copies keys_in to `keys` and values_in to `values`, items in holes, too, and sorts each segment there. */
ordo_status ordo_sort_segments_copy(ordo_machine* machine, ordo_type key_type, void const* keys_in, void* keys,
                                    size_t value_bytes, void const* values_in, void* values, size_t n,
                                    ordo_segments const* segments, uint8_t* heads, ordo_sort_options const* options);

/* Sorts the keys of each array in place without a second copy of the data, and moves values with them. Stable for arrays of at
 * most 4096 items. Compares whole keys: begin_bit and end_bit must be 0. */
ordo_status ordo_sort_arrays(ordo_machine* machine, ordo_type key_type, void* keys, size_t value_bytes, void* values, size_t n,
                             ordo_segments const* arrays, ordo_sort_options const* options);

/* Checks the segments of an array of n items: ends not before begins nor behind the array, lengths within max_length, no
 * overlap. Waits for the device. A CPU does the same in each sort; a GPU checks there only what the host knows. */
ordo_status ordo_check_segments(ordo_machine* machine, size_t n, ordo_segments const* segments);

/* Write to *bytes the maximum of temporary memory that a sort takes. `value_bytes` is 0 without values; `max_length` is 0 if it
 * is not known. */
ordo_status ordo_sort_memory(ordo_machine* machine, ordo_type key_type, size_t value_bytes, size_t n,
                             ordo_sort_options const* options, size_t* bytes);
ordo_status ordo_argsort_memory(ordo_machine* machine, ordo_type key_type, ordo_type index_type, size_t n,
                                ordo_sort_options const* options, size_t* bytes);
ordo_status ordo_sort_segments_memory(ordo_machine* machine, ordo_type key_type, size_t value_bytes, size_t n, size_t segments,
                                      size_t max_length, ordo_sort_options const* options, size_t* bytes);
ordo_status ordo_sort_arrays_memory(ordo_machine* machine, ordo_type key_type, size_t value_bytes, size_t n, size_t arrays,
                                    size_t max_length, ordo_sort_options const* options, size_t* bytes);

/* Writes to each segment of `index` the positions of the segment's keys, in the order of the keys. Positions of equal keys
 * ascend. In holes, index[i] becomes i. The keys are not changed.
 * relative: 1 if positions count from the begin of their segment; 0 if from the begin of the array. */
ordo_status ordo_argsort_segments(ordo_machine* machine, ordo_type key_type, void const* keys, size_t n,
                                  ordo_segments const* segments, ordo_type index_type, void* index, uint32_t relative,
                                  ordo_sort_options const* options);

/* The settings of the k greatest or smallest keys. NULL in its place means ORDO_TOP_K_OPTIONS_INIT: the greatest, sorted, where
 * every NaN is greater than all numbers, whatever its sign. */
typedef struct ordo_top_k_options {
  size_t size;          /* sizeof(ordo_top_k_options) */
  uint32_t smallest;    /* 1: the smallest keys, in ascending order; 0: the greatest, in descending order */
  uint32_t unsorted;    /* 1: the result is in the order of the input */
  uint32_t relative;    /* 1: positions count from the begin of their segment; 0: from the begin of the array */
  ordo_nans nans;       /* ORDO_NANS_TOTAL_ORDER, ORDO_NANS_LAST or ORDO_NANS_GREATEST */
  uint32_t equal_zeros; /* 1: -0.0 and +0.0 are equal */
  uint32_t reserved;    /* 0 */
} ordo_top_k_options;
#define ORDO_TOP_K_OPTIONS_INIT \
  { sizeof(ordo_top_k_options), 0, 0, 0, ORDO_NANS_GREATEST, 1, 0 }

/* Writes the k greatest or smallest of n keys to out_keys and their positions to out_index. Either may be NULL. The result is
 * the first k items of a stable sort. Waits for the device, unless k is at most 2048 and an eighth of at least 1024 keys. */
ordo_status ordo_top_k(ordo_machine* machine, ordo_type key_type, void const* keys, size_t n, size_t k, void* out_keys,
                       ordo_type index_type, void* out_index, ordo_top_k_options const* options);

/* Does the same for each segment. The result of segment s begins at s * k. A segment of fewer than k keys gives all of them;
 * the rest of its k items is not written. Never waits for a GPU. */
ordo_status ordo_segmented_top_k(ordo_machine* machine, ordo_type key_type, void const* keys, size_t n,
                                 ordo_segments const* segments, size_t k, void* out_keys, ordo_type index_type, void* out_index,
                                 ordo_top_k_options const* options);

/* A column by which rows are ordered. */
typedef struct ordo_row_key {
  size_t size;        /* sizeof(ordo_row_key) */
  void const* values; /* as many as there are rows */
  ordo_type type;
  ordo_order order;
  ordo_nans nans;          /* any of its constants */
  uint32_t equal_zeros;    /* 1: -0.0 and +0.0 are equal */
  uint32_t nulls_first;    /* 1: nulls come first, in either direction; 0: last */
  uint32_t reserved;       /* 0 */
  uint8_t const* validity; /* NULL, or a bitmap as Arrow's: row i is null if bit validity_offset + i is 0 */
  size_t validity_offset;
  size_t value_bytes; /* the length of the strings of ORDO_BYTES; 0 for other types */
} ordo_row_key;
#define ORDO_ROW_KEY_INIT \
  { sizeof(ordo_row_key), NULL, 0, ORDO_ASCENDING, ORDO_NANS_LAST, 1, 0, 0, NULL, 0, 0 }

/* Writes to index[i] the number of the row that comes i-th in the order of keys[0], of rows with equal keys[0] in the order of
 * keys[1], and so on. Stable. `keys` is in the host's memory, the columns are in the machine's. */
ordo_status ordo_argsort_rows(ordo_machine* machine, ordo_row_key const* keys, size_t num_keys, size_t n, ordo_type index_type,
                              void* index);

/* Merges two sorted arrays of n_a and n_b keys into `out`, which overlaps neither. Stable: of equal keys, those of `a` come
 * first. Moves the values of `value_bytes` bytes with their keys; with `value_bytes` 0 there are none. The options state the
 * order by which the arrays are sorted; NaNs that are not in total order are equal. Never waits for a GPU. */
ordo_status ordo_merge(ordo_machine* machine, ordo_type key_type, void const* a, size_t n_a, void const* b, size_t n_b,
                       void* out, size_t value_bytes, void const* a_values, void const* b_values, void* out_values,
                       ordo_sort_options const* options);

/* Writes to *groups the number of groups of equal adjacent keys, to out_keys the first key of each, and to out_lengths its
 * number of keys: of sorted keys, each key once and how often it occurs. Keys are equal if their bits are. Both arrays have room
 * for `capacity` groups; either may be NULL. Waits for the device.
 * segments: NULL for the whole array. Otherwise the groups of segment s are [out_offsets[s], out_offsets[s + 1]) of the result;
 * out_offsets has one item more than there are segments, or is NULL.
 * index_type: that of out_lengths and out_offsets. */
ordo_status ordo_run_length(ordo_machine* machine, ordo_type key_type, void const* keys, size_t n,
                            ordo_segments const* segments, void* out_keys, ordo_type index_type, void* out_lengths,
                            void* out_offsets, size_t capacity, size_t* groups);
/* Does the same without lengths. */
ordo_status ordo_unique(ordo_machine* machine, ordo_type key_type, void const* keys, size_t n, ordo_segments const* segments,
                        void* out_keys, ordo_type index_type, void* out_offsets, size_t capacity, size_t* groups);

/* Writes to `to` the items of `item_bytes` bytes at the n positions of `index` in `from`, which has num_items items and does
 * not overlap `to`. A CPU checks each position before it writes. */
ordo_status ordo_gather(ordo_machine* machine, size_t item_bytes, void const* from, size_t num_items, ordo_type index_type,
                        void const* index, size_t n, void* to);

/* Write to *bytes the maximum of temporary memory of these calls: of ordo_merge for n keys in all, of ordo_unique and
 * ordo_run_length for n keys in this number of segments, 1 without segments. The rows of ordo_argsort_rows_memory need no
 * values. */
ordo_status ordo_merge_memory(ordo_machine* machine, size_t n, size_t* bytes);
ordo_status ordo_unique_memory(ordo_machine* machine, size_t n, size_t segments, size_t* bytes);
ordo_status ordo_argsort_rows_memory(ordo_machine* machine, ordo_row_key const* keys, size_t num_keys, size_t n,
                                     ordo_type index_type, size_t* bytes);
ordo_status ordo_argsort_segments_memory(ordo_machine* machine, ordo_type key_type, ordo_type index_type, size_t n,
                                         size_t segments, size_t max_length, ordo_sort_options const* options, size_t* bytes);

/* Returns the text of the last error of a call by this thread, "" if there was none. It is valid until the thread's next error.
 * The text reads "what: where: why". */
char const* ordo_last_error(void);

/* Returns the name of a status, as "usage error". */
char const* ordo_status_name(ordo_status status);

/* Returns the version of the library, as "0.1.0". */
char const* ordo_version(void);

#ifdef __cplusplus
}
#endif
#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
