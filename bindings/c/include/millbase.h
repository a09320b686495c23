/* Perfect play for Nine Men's Morris: see bindings/c/README.md.
 *
 * Made from src by cbindgen; `cargo test` in bindings/c says when it is out of date. */

#ifndef MILLBASE_H
#define MILLBASE_H

#include <stddef.h>
#include <stdint.h>

/**
 * The version of this header; `millbase_version` has that of the library.
 */
#define MILLBASE_VERSION "0.1.0"
#define MILLBASE_VERSION_MAJOR 0
#define MILLBASE_VERSION_MINOR 1
#define MILLBASE_VERSION_PATCH 0

/**
 * Stands for a result that is not known.
 */
#define MILLBASE_UNKNOWN -128

/**
 * Bytes for a turn's text with the zero that ends it.
 */
#define MILLBASE_TURN_SIZE 16

/**
 * Bytes for a position's text with the zero that ends it.
 */
#define MILLBASE_POSITION_SIZE 96

/**
 * The outcome of a call.
 */
typedef enum millbase_status {
  /**
   * Done.
   */
  MILLBASE_STATUS_OK = 0,
  /**
   * A pointer is null where it must not be, a text is not UTF-8, or a number is out of its range.
   */
  MILLBASE_STATUS_ARGUMENT = 1,
  /**
   * A position, a turn, rules or bit masks are wrong.
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
 * Why a line ends.
 */
typedef enum millbase_line_end {
  /**
   * The game is over.
   */
  MILLBASE_LINE_END_OVER = 0,
  /**
   * A position repeats, so the game is drawn.
   */
  MILLBASE_LINE_END_REPETITION = 1,
  /**
   * The rules' limit of turns without a placement or a removal is reached, so the game is drawn.
   */
  MILLBASE_LINE_END_QUIET = 2,
  /**
   * The line has as many turns as were asked for.
   */
  MILLBASE_LINE_END_LIMIT = 3,
} millbase_line_end;

/**
 * The meaning of a choice's score.
 */
typedef enum millbase_score {
  /**
   * An estimate for the side to move: hundredths of the logarithm of the odds to win under
   * `standard`, of a stone under other rules.
   */
  MILLBASE_SCORE_ESTIMATE = 0,
  /**
   * The turns in which the side to move wins, -1 if their number is unknown.
   */
  MILLBASE_SCORE_WIN = 1,
  /**
   * The turns in which the side to move loses, -1 if their number is unknown.
   */
  MILLBASE_SCORE_LOSS = 2,
} millbase_score;

/**
 * The databases of one set of rules. Threads may share it.
 */
typedef struct millbase_db millbase_db;

/**
 * An engine that is running.
 */
typedef struct millbase_engine millbase_engine;

/**
 * Ends a search from another thread.
 */
typedef struct millbase_stop millbase_stop;

/**
 * The numbers of stones of a pair. The larger side is the one with more stones on the board and in hand.
 */
typedef struct millbase_pair {
  /**
   * The stones on the board of the larger side, 0 to 12.
   */
  uint8_t larger;
  /**
   * The stones on the board of the other side.
   */
  uint8_t smaller;
  /**
   * The stones in hand of the larger side: 0, except under rules where sides move while placing.
   */
  uint8_t larger_in_hand;
  /**
   * The stones in hand of the other side.
   */
  uint8_t smaller_in_hand;
} millbase_pair;

/**
 * The value of a position or turn for the side to move.
 */
typedef struct millbase_value {
  /**
   * 1 for a win, 0 for a draw, -1 for a loss, `MILLBASE_UNKNOWN` where it is not known.
   */
  int8_t wdl;
  /**
   * Turns to the end; -1 for a draw, and where the files hold no depths.
   */
  int16_t dtw;
} millbase_value;

/**
 * A turn with its value for the side that makes it.
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
   * The value; the depth includes the turn.
   */
  struct millbase_value value;
} millbase_turn;

/**
 * When a search ends: at the first of these limits, each 0 for none.
 */
typedef struct millbase_limits {
  /**
   * The time in milliseconds.
   */
  uint32_t milliseconds;
  /**
   * The depth in turns.
   */
  uint32_t depth;
  /**
   * The number of positions, approximately.
   */
  uint64_t nodes;
} millbase_limits;

/**
 * The turn that a player chooses.
 */
typedef struct millbase_choice {
  /**
   * The turn's text; empty when the game is over.
   */
  char turn[MILLBASE_TURN_SIZE];
  /**
   * The text of the position after the turn.
   */
  char position[MILLBASE_POSITION_SIZE];
  /**
   * The turn's exact value if it is known without a search, else `MILLBASE_UNKNOWN`.
   */
  struct millbase_value value;
  /**
   * The meaning of `score`.
   */
  enum millbase_score score_is;
  /**
   * The score that the search found for the side to move.
   */
  int32_t score;
  /**
   * The depth of the search in turns.
   */
  uint32_t depth;
  /**
   * The number of positions visited.
   */
  uint64_t nodes;
} millbase_choice;

/**
 * Gets each line of an engine's output, without its line break, and the pointer that was given
 * with the function. The text is valid during the call. Threads of the engine call the function,
 * never two at the same time.
 */
typedef void (*millbase_on_line)(const char *line, void *context);

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
 * Opens the databases of a folder or of a bundle, which `millbase bundle` makes; with a null pointer those with at
 * most nine stones, which are part of the library. On Unix the name is any bytes, elsewhere UTF-8. `rules` is
 * `standard`, `standard-100`, `no-flying`, `ten`, `lasker`, `twelve`, `morabaraba`, `dooz`, or the path of a file with
 * settings, which contains a dot or a slash; null stands for `standard`. Close the handle in `*db` with
 * `millbase_close`; it is null after a failure.
 *
 * # Safety
 *
 * The texts end with a zero; `db` points to a place for a handle.
 */
enum millbase_status millbase_open(const char *folder,
                                   const char *rules,
                                   struct millbase_db **db);

/**
 * As `millbase_open`, with the text of a file with settings in place of `rules`, as
 * `"base = 'ten'\nflying = 0"`.
 *
 * # Safety
 *
 * As for `millbase_open`.
 */
enum millbase_status millbase_open_settings(const char *folder,
                                            const char *settings,
                                            struct millbase_db **db);

/**
 * Opens a bundle that is a part of an open file, as Android hands out the uncompressed assets of an app: `length`
 * bytes from `offset` on. The library duplicates the descriptor, so the caller may close it. Not on Windows.
 *
 * # Safety
 *
 * `fd` is an open descriptor of a file that can be read; the others as for `millbase_open`.
 */
enum millbase_status millbase_open_fd(int32_t fd,
                                      uint64_t offset,
                                      uint64_t length,
                                      const char *rules,
                                      struct millbase_db **db);

/**
 * Opens a bundle in memory, for example a mapped file. Nothing is copied.
 *
 * # Safety
 *
 * `bytes` points to `length` bytes, which stay unchanged until the databases and all engines with them are closed;
 * the others as for `millbase_open`.
 */
enum millbase_status millbase_open_memory(const uint8_t *bytes,
                                          size_t length,
                                          const char *rules,
                                          struct millbase_db **db);

/**
 * Limits the memory of the caches to this many bytes; without this call it is 256 MiB. Call it before the first
 * question: what the caches hold is lost. While an engine uses the databases, the status is
 * `MILLBASE_STATUS_ARGUMENT`.
 *
 * # Safety
 *
 * `db` is an open handle that no other thread uses.
 */
enum millbase_status millbase_set_cache_bytes(struct millbase_db *db,
                                              size_t bytes);

/**
 * Closes databases; null does nothing.
 *
 * # Safety
 *
 * `db` is null or a handle that is not closed, and no thread uses it.
 */
void millbase_close(struct millbase_db *db);

/**
 * The pairs whose files can be used, in their order: `*count` gets their number, `pairs` as many as there
 * is room for. `pairs` may be null if `capacity` is 0.
 *
 * # Safety
 *
 * `db` is an open handle, `pairs` has room for `capacity` pairs, `count` points to a place for a number.
 */
enum millbase_status millbase_pairs(const struct millbase_db *db,
                                    struct millbase_pair *pairs,
                                    size_t capacity,
                                    size_t *count);

/**
 * Writes the text of the empty board with White to place, with the zero that ends it. This needs no
 * databases, only rules.
 *
 * # Safety
 *
 * `db` is an open handle, `position` has room for `MILLBASE_POSITION_SIZE` bytes.
 */
enum millbase_status millbase_start(const struct millbase_db *db, char *position);

/**
 * The legal turns of a position in the order of their texts, without values: `*count` gets their number,
 * `turns` as many as there is room for. There are none when the game is over. `turns` may be null if
 * `capacity` is 0. This needs no databases, only rules.
 *
 * # Safety
 *
 * As for `millbase_turns`.
 */
enum millbase_status millbase_legal_turns(const struct millbase_db *db,
                                          const char *fen,
                                          struct millbase_turn *turns,
                                          size_t capacity,
                                          size_t *count);

/**
 * Writes the text of the position after a legal turn, as `d6-d5xb4`, with the zero that ends it; `position`
 * may be `fen`. This needs no databases, only rules.
 *
 * # Safety
 *
 * `db` is an open handle, the texts end with a zero, `position` has room for `MILLBASE_POSITION_SIZE` bytes.
 */
enum millbase_status millbase_play(const struct millbase_db *db,
                                   const char *fen,
                                   const char *turn,
                                   char *position);

/**
 * The value of the position with this text.
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
 * The game that follows when both sides always make their best turn, no longer than `limit` turns:
 * `*count` gets the number of its turns, `turns` as many as there is room for, `*end` why it ends.
 * `turns` may be null if `capacity` is 0, `end` if it is not needed.
 *
 * # Safety
 *
 * As for `millbase_turns`; `end` is null or points to a place for a `millbase_line_end`.
 */
enum millbase_status millbase_line(const struct millbase_db *db,
                                   const char *fen,
                                   size_t limit,
                                   struct millbase_turn *turns,
                                   size_t capacity,
                                   size_t *count,
                                   enum millbase_line_end *end);

/**
 * The values of `count` positions without a pending removal on `threads` threads: the bits of White's and
 * Black's stones (bit 0 is d5, the order is that of the position's text), 0 where White is to move
 * and 1 where Black is, and their stones in hand; `white_in_hand` and `black_in_hand` may be null if there are
 * none. `wdl` gets 1, 0 or -1, `dtw` the turns to the end or -1.
 *
 * If the databases do not have some values, the status is `MILLBASE_STATUS_MISSING`, `wdl` gets
 * `MILLBASE_UNKNOWN` for these, and all others are right. After another failure nothing is written.
 *
 * The positions are copied before the first value is written, so arrays may overlap: an array of values may
 * begin where one of the positions does. No other thread may write to them meanwhile.
 *
 * # Safety
 *
 * `db` is an open handle, and each array has `count` elements; those of `wdl` and `dtw` need no values.
 */
enum millbase_status millbase_probe_many(const struct millbase_db *db,
                                         const uint32_t *white,
                                         const uint32_t *black,
                                         const uint8_t *to_move,
                                         const uint8_t *white_in_hand,
                                         const uint8_t *black_in_hand,
                                         size_t count,
                                         int8_t *wdl,
                                         int16_t *dtw,
                                         size_t threads);

/**
 * A token that ends searches. Free it with `millbase_stop_free`.
 */
struct millbase_stop *millbase_stop_new(void);

/**
 * Ends the searches that were given this token, and those that are given it from now on. Any thread may call
 * this; null does nothing.
 *
 * # Safety
 *
 * `stop` is null or a token that is not freed.
 */
void millbase_stop_set(const struct millbase_stop *stop);

/**
 * Frees a token; null does nothing.
 *
 * # Safety
 *
 * `stop` is null or a token that is not freed, and no search or thread uses it.
 */
void millbase_stop_free(struct millbase_stop *stop);

/**
 * The turn that a player chooses after these turns from a position: `turns` has blanks between
 * them and may be null for none. The player of level 30 knows the databases and searches where
 * they have no answer; those of levels 0 to 29 err. A seed that is not 0 chooses among turns that
 * are equally good.
 *
 * `limits` may be null for one second. If another thread sets `stop`, which may be null, the search ends, and
 * the best turn so far is chosen. Without a limit a token is needed.
 *
 * # Safety
 *
 * `db` is an open handle, the texts end with a zero, `limits` and `stop` are null or valid, `out` points to a
 * place for a choice.
 */
enum millbase_status millbase_choose(const struct millbase_db *db,
                                     const char *fen,
                                     const char *turns,
                                     uint8_t level,
                                     uint64_t seed,
                                     const struct millbase_limits *limits,
                                     const struct millbase_stop *stop,
                                     struct millbase_choice *out);

/**
 * Starts an engine, which speaks the protocol of `millbase uci` with the databases of `db`, on a thread of its
 * own: `millbase_engine_send` gives it a line, and `on_line` gets each line of its answers with `context`. The
 * databases may be closed before the engine. Free it with `millbase_engine_free`; `*engine` is null after a failure.
 *
 * # Safety
 *
 * `db` is an open handle; threads may call `on_line` with `context` until the engine is freed; `on_line` does not
 * free the engine; `engine` points to a place for a handle.
 */
enum millbase_status millbase_engine_new(const struct millbase_db *db,
                                         millbase_on_line on_line,
                                         void *context,
                                         struct millbase_engine **engine);

/**
 * Gives an engine a line of the protocol, such as `position startpos moves d6` or
 * `go movetime 500`, and returns at once. Any thread may call this, even from `on_line`. After
 * `quit` lines have no effect.
 *
 * # Safety
 *
 * `engine` is a handle that is not freed, `line` ends with a zero.
 */
enum millbase_status millbase_engine_send(const struct millbase_engine *engine, const char *line);

/**
 * Ends an engine and waits for its threads; null does nothing. `on_line` is not called afterwards.
 *
 * # Safety
 *
 * `engine` is null or a handle that is not freed, and no thread uses it.
 */
void millbase_engine_free(struct millbase_engine *engine);

/**
 * Reads the games of a text in any form: `*length` gets the number of bytes of the answer with the zero that ends it,
 * `json` as many of them as there is room for. The answer is the JSON object `read` of docs/JSON.md with all games.
 * Games that name no rules are read by those of `db`. `json` may be null if `capacity` is 0. This needs no databases,
 * only rules.
 *
 * # Safety
 *
 * `db` is an open handle, `games` ends with a zero, `json` has room for `capacity` bytes, `length` points to a place
 * for a number.
 */
enum millbase_status millbase_read_games(const struct millbase_db *db,
                                         const char *games,
                                         char *json,
                                         size_t capacity,
                                         size_t *length);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* MILLBASE_H */
