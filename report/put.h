/* Fields of records by the catalogue (report/schema.def): a record, part or group and the key of one of its
 * fields form the name of a function, which knows the type. A field that is not in the catalogue does not
 * compile. */
#pragma once
#include "report/record.h"

/* A new record of this type. */
#define NEW(record)              new_##record()
/* A field and its value. */
#define PUT(r, set, key, value)  put_##set##_##key(r, value)
/* A formatted string. */
#define PUTF(r, set, key, ...)   rec_strf(r, text_##set##_##key(), __VA_ARGS__)
/* The key of a string field, for the other functions of report/record.h. */
#define TEXT_KEY(set, key)       text_##set##_##key()
/* A list, an object or a map begins; rec_close() ends it. */
#define OPEN(r, set, key)        open_##set##_##key(r)
/* The next value of a list. The next object of a list is a rec_object(r, NULL). */
#define ITEM(r, set, key, value) item_##set##_##key(r, value)

/* ---- how they are made ---- */

/* when: what is done with the record first, by the field's presence. Items of a list go with their list. */
#define WHEN_ALWAYS(r)
#define WHEN_OPTIONAL(r)
#define WHEN_COUNTED(r)
#define WHEN_EITHER(r)
#define WHEN_TIMED(r)          rec_timed(r);
#define WHEN_TIMED_OPTIONAL(r) rec_timed(r);

#define PUT_VALUE(name, key, when, of, add) \
    static inline void put_##name(struct record *r, of value) { when(r) add(r, key, value); }
#define PUT_OPEN(name, key, when, begin) \
    static inline void open_##name(struct record *r) { when(r) begin(r, key); }
#define PUT_LIST(name, key, when, of, add) \
    PUT_OPEN(name, key, when, rec_array)   \
    static inline void item_##name(struct record *r, of value) { add(r, NULL, value); }
#define PUT_TEXT(name, key) \
    static inline const char *text_##name(void) { return key; }

#define IS_UINT(name, key, when)              PUT_VALUE(name, key, when, uint64_t, rec_uint)
#define IS_INT(name, key, when)               PUT_VALUE(name, key, when, int64_t, rec_int)
#define IS_REAL(name, key, when)              PUT_VALUE(name, key, when, double, rec_real)
#define IS_REAL_OR_NULL(name, key, when)      PUT_VALUE(name, key, when, double, rec_real)
#define IS_NUMBER(name, key, when)            PUT_VALUE(name, key, when, double, rec_number_value)
#define IS_BOOL(name, key, when)              PUT_VALUE(name, key, when, bool, rec_bool)
#define IS_HEX(name, key, when)               PUT_VALUE(name, key, when, uint64_t, rec_hex)
#define IS_STR(name, key, when)               PUT_VALUE(name, key, when, const char *, rec_str) PUT_TEXT(name, key)
#define IS_INT_OR_STR(name, key, when)        PUT_VALUE(name, key, when, int64_t, rec_int) PUT_TEXT(name, key)
#define IS_ONE_OF(values)                     IS_STR
#define IS_OBJECT_(name, key, when)           PUT_OPEN(name, key, when, rec_object)
#define IS_OBJECT(part)                       IS_OBJECT_
#define IS_MAP(of)                            IS_OBJECT_
#define IS_LIST(of)                           IS_LIST_##of
#define IS_LIST_UINT(name, key, when)         PUT_LIST(name, key, when, uint64_t, rec_uint)
#define IS_LIST_NUMBER(name, key, when)       PUT_LIST(name, key, when, double, rec_number_value)
#define IS_LIST_REAL_OR_NULL(name, key, when) PUT_LIST(name, key, when, double, rec_real)
#define IS_LIST_HEX(name, key, when)          PUT_LIST(name, key, when, uint64_t, rec_hex)
#define IS_LIST_STR(name, key, when)          PUT_LIST(name, key, when, const char *, rec_str)
#define IS_LIST_ONE_OF(values)                IS_LIST_STR
#define IS_LIST_OBJECT_(name, key, when)      PUT_OPEN(name, key, when, rec_array)
#define IS_LIST_OBJECT(part)                  IS_LIST_OBJECT_

#define PUT_MAKE(is, name, key, when) is(name, key, when)
#define RECORD(name) \
    static inline struct record *new_##name(void) { return record_new(#name); }
#define PART(name)
#define GROUP(name)
#define ALSO(of, group)
#define FIELD(of, key, type, presence, unit, meaning) PUT_MAKE(IS_##type, of##_##key, #key, WHEN_##presence)
#include "report/schema.def"
