/* Perfect play for Nine Men's Morris: see bindings/c/README.md.
 *
 * Made from src/lib.rs by cbindgen; `cargo test` in bindings/c says when it is out of date. */

#ifndef MILLBASE_H
#define MILLBASE_H

#include <stddef.h>
#include <stdint.h>

/**
 * Bytes for a turn's text with the zero that ends it.
 */
#define MILLBASE_TURN_SIZE 16

/**
 * Bytes for a position's text with the zero that ends it.
 */
#define MILLBASE_POSITION_SIZE 96

/**
 * What became of a call.
 */
typedef enum millbase_status {
  /**
   * Done.
   */
  MILLBASE_STATUS_OK = 0,
  /**
   * A pointer is null where it must not be, or a text is not UTF-8.
   */
  MILLBASE_STATUS_ARGUMENT = 1,
  /**
   * A position, a turn, the rules' name or bit masks are wrong.
   */
  MILLBASE_STATUS_POSITION = 2,
  /**
   * No database here has the answer.
   */
  MILLBASE_STATUS_MISSING = 3,
  /**
   * A file cannot be used: it is damaged, or of other rules or another version.
   */
  MILLBASE_STATUS_CORRUPT = 4,
  /**
   * Another reason.
   */
  MILLBASE_STATUS_OTHER = 5,
  /**
   * A defect of this library; please report it.
   */
  MILLBASE_STATUS_DEFECT = 6,
} millbase_status;

/**
 * The databases of one set of rules. Threads may share it.
 */
typedef struct millbase_db millbase_db;

/**
 * What a position or turn is worth to the side to move.
 */
typedef struct millbase_value {
  /**
   * 1 for a win, 0 for a draw, -1 for a loss.
   */
  int8_t wdl;
  /**
   * Turns to the end; -1 for a draw, and where the files hold no depths.
   */
  int16_t dtw;
} millbase_value;

/**
 * A turn with what it is worth to the side that makes it.
 */
typedef struct millbase_turn {
  /**
   * The turn's text, as `d6-d5xb4`; empty for none.
   */
  char turn[MILLBASE_TURN_SIZE];
  /**
   * The text of the position after the turn.
   */
  char position[MILLBASE_POSITION_SIZE];
  /**
   * The value, the turn counted.
   */
  struct millbase_value value;
} millbase_turn;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * The version of the library, as `0.1.0`.
 */
const char *millbase_version(void);

/**
 * The sentence of the last call of this thread that was not `MILLBASE_STATUS_OK`; empty before the
 * first. It stays until the next such call of the thread.
 */
const char *millbase_last_message(void);

/**
 * Opens the databases of a folder, or with a null pointer those with at most nine stones, which are
 * part of the library. `rules` is `standard`, `standard-100`, `no-flying`, `ten`, `twelve` or `morabaraba`; null
 * stands for `standard`. Close the handle in `*db` with `millbase_close`; it is null after a failure.
 *
 * # Safety
 *
 * The texts end with a zero; `db` points to a place for a handle.
 */
enum millbase_status millbase_open(const char *folder,
                                   const char *rules,
                                   struct millbase_db **db);

/**
 * Closes databases; null does nothing.
 *
 * # Safety
 *
 * `db` is null or a handle that is not closed, and no thread uses it.
 */
void millbase_close(struct millbase_db *db);

/**
 * What the position with this text is worth.
 *
 * # Safety
 *
 * `db` is an open handle, `fen` ends with a zero, `out` points to a place for a value.
 */
enum millbase_status millbase_probe(const struct millbase_db *db,
                                    const char *fen,
                                    struct millbase_value *out);

/**
 * The turns of a position, best first: `*count` gets their number, `turns` as many as there is room
 * for. There are none when the game is over. `turns` may be null if `capacity` is 0.
 *
 * # Safety
 *
 * `db` is an open handle, `fen` ends with a zero, `turns` has room for `capacity` turns, `count`
 * points to a place for a number.
 */
enum millbase_status millbase_turns(const struct millbase_db *db,
                                    const char *fen,
                                    struct millbase_turn *turns,
                                    size_t capacity,
                                    size_t *count);

/**
 * The best turn of a position; its text is empty when the game is over.
 *
 * # Safety
 *
 * `db` is an open handle, `fen` ends with a zero, `out` points to a place for a turn.
 */
enum millbase_status millbase_best_turn(const struct millbase_db *db,
                                        const char *fen,
                                        struct millbase_turn *out);

/**
 * The values of `count` positions of the moving phase on `threads` threads: the bits of White's and
 * Black's stones (bit 0 is d5, the order is that of the position's text), 0 where White is to move
 * and 1 where Black is. `wdl` gets 1, 0 or -1, `dtw` the turns to the end or -1.
 *
 * # Safety
 *
 * `db` is an open handle, and each array has `count` elements.
 */
enum millbase_status millbase_probe_many(const struct millbase_db *db,
                                         const uint32_t *white,
                                         const uint32_t *black,
                                         const uint8_t *to_move,
                                         size_t count,
                                         int8_t *wdl,
                                         int16_t *dtw,
                                         size_t threads);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* MILLBASE_H */
