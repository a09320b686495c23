/* The C library against the table of positions, from several threads, in a game, and on hostile input:
 *     table ../positions.csv A_FOLDER A_BUNDLE HANDS
 * The folder is empty; files cut short are written there. The bundle has the pairs of `no-flying` with seven stones,
 * HANDS.mdb those of Lasker Morris with the three stones that HANDS.toml states. */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "millbase.h"

#define MOST 1000
#define THREADS 3

static int checks;

#define CHECK(condition)                                                          \
  do {                                                                            \
    checks++;                                                                     \
    if (!(condition)) {                                                           \
      fprintf(stderr, "%s:%d: not true: %s (last message: %s)\n", __FILE__,       \
              __LINE__, #condition, millbase_last_message());                     \
      exit(1);                                                                    \
    }                                                                             \
  } while (0)

struct row {
  char fen[128], best[16], phase[16];
  int wdl, dtw, turns;
};

static struct row rows[MOST];
static size_t row_count;
static millbase_db *db;

/* The field up to the next comma or line end. */
static char *field(char **rest) {
  char *begin = *rest;
  *rest += strcspn(begin, ",\n");
  if (**rest != '\0')
    *(*rest)++ = '\0';
  return begin;
}

static void read_table(const char *path) {
  char line[512];
  FILE *file = fopen(path, "r");
  CHECK(file != NULL);
  CHECK(fgets(line, sizeof line, file) && fgets(line, sizeof line, file));
  while (row_count < MOST && fgets(line, sizeof line, file)) {
    char *rest = line;
    struct row *row = &rows[row_count++];
    snprintf(row->fen, sizeof row->fen, "%s", field(&rest));
    const char *wdl = field(&rest);
    row->wdl = strcmp(wdl, "win") == 0 ? 1 : strcmp(wdl, "loss") == 0 ? -1 : 0;
    const char *dtw = field(&rest);
    row->dtw = *dtw ? atoi(dtw) : -1;
    row->turns = atoi(field(&rest));
    snprintf(row->best, sizeof row->best, "%s", field(&rest));
    snprintf(row->phase, sizeof row->phase, "%s", field(&rest));
  }
  fclose(file);
  CHECK(row_count == MOST);
}

/* Asks for every THREADS-th row; the program has the answers of all from one handle. */
static void *ask(void *number) {
  for (size_t i = (size_t)(uintptr_t)number; i < row_count; i += THREADS) {
    const struct row *row = &rows[i];
    millbase_value value = {9, 9};
    CHECK(millbase_probe(db, row->fen, &value) == MILLBASE_STATUS_OK);
    CHECK(value.wdl == row->wdl && value.dtw == row->dtw);
    millbase_turn turns[256];
    size_t count = 999;
    CHECK(millbase_turns(db, row->fen, turns, 256, &count) == MILLBASE_STATUS_OK);
    CHECK((int)count == row->turns);
    millbase_turn best;
    CHECK(millbase_best_turn(db, row->fen, &best) == MILLBASE_STATUS_OK);
    CHECK(strcmp(best.turn, row->best) == 0);
    CHECK(best.value.wdl == row->wdl && best.value.dtw == row->dtw);
    /* The same turns without values, in the order of their texts. */
    millbase_turn legal[256];
    size_t legal_count = 999;
    CHECK(millbase_legal_turns(db, row->fen, legal, 256, &legal_count) == MILLBASE_STATUS_OK);
    CHECK(legal_count == count);
    for (size_t j = 0; j < count; j++) {
      CHECK(legal[j].value.wdl == MILLBASE_UNKNOWN && legal[j].value.dtw == -1);
      CHECK(j == 0 || strcmp(legal[j - 1].turn, legal[j].turn) < 0);
    }
    for (size_t j = 0; j < count; j += 7) {
      char after[MILLBASE_POSITION_SIZE];
      CHECK(millbase_play(db, row->fen, turns[j].turn, after) == MILLBASE_STATUS_OK);
      CHECK(strcmp(after, turns[j].position) == 0);
      size_t same = 0;
      while (same < count && strcmp(legal[same].turn, turns[j].turn) != 0)
        same++;
      CHECK(same < count && strcmp(legal[same].position, after) == 0);
    }
    if (count > 0) {
      CHECK(memcmp(&best, &turns[0], sizeof best.turn + sizeof best.position) == 0);
      CHECK(millbase_probe(db, best.position, &value) == MILLBASE_STATUS_OK);
      /* A removal that is owed is a turn of its own, so the sides alternate. */
      CHECK(value.wdl == -row->wdl);
      CHECK(row->dtw < 0 ? value.dtw < 0 : value.dtw == row->dtw - 1);
    }
  }
  return NULL;
}

static uint32_t bits(const char *fen, char letter) {
  uint32_t set = 0;
  int point = 0;
  for (; *fen != ' '; fen++) {
    if (*fen == '/')
      continue;
    set |= (uint32_t)(*fen == letter) << point++;
  }
  return set;
}

/* The number in hand of a side: the number of the fifth or seventh field of a position. */
static uint8_t in_hand(const char *fen, int field) {
  for (int blanks = 0; blanks < field; fen++)
    blanks += *fen == ' ';
  return (uint8_t)atoi(fen);
}

static void in_bulk(void) {
  static uint32_t white[MOST], black[MOST];
  static uint8_t to_move[MOST], white_in_hand[MOST], black_in_hand[MOST];
  static int8_t wdl[MOST];
  static int16_t dtw[MOST];
  static const struct row *asked[MOST];
  size_t count = 0, moving = 0;
  /* First the positions of the moving phase. */
  for (int placing = 0; placing < 2; placing++) {
    for (size_t i = 0; i < row_count; i++) {
      const char *fen = rows[i].fen;
      const uint8_t hands[] = {in_hand(fen, 5), in_hand(fen, 7)};
      if ((hands[0] + hands[1] > 0) != placing || strstr(fen, " r "))
        continue;
      asked[count] = &rows[i];
      white[count] = bits(fen, 'O');
      black[count] = bits(fen, '@');
      white_in_hand[count] = hands[0];
      black_in_hand[count] = hands[1];
      to_move[count++] = strstr(fen, " b ") != NULL;
    }
    if (!placing)
      moving = count;
  }
  CHECK(moving > 800 && count > moving);
  for (size_t threads = 0; threads <= 4; threads += 2) {
    memset(wdl, 9, sizeof wdl);
    CHECK(millbase_probe_many(db, white, black, to_move, NULL, NULL, moving, wdl, dtw, threads) ==
          MILLBASE_STATUS_OK);
    CHECK(wdl[moving] == 9);
    for (size_t i = 0; i < moving; i++)
      CHECK(wdl[i] == asked[i]->wdl && dtw[i] == asked[i]->dtw);
    CHECK(millbase_probe_many(db, white, black, to_move, white_in_hand, black_in_hand, count, wdl, dtw,
                              threads) == MILLBASE_STATUS_OK);
    for (size_t i = 0; i < count; i++)
      CHECK(wdl[i] == asked[i]->wdl && dtw[i] == asked[i]->dtw);
  }
  /* The values may overwrite the positions. */
  uint32_t *overwritten = malloc(moving * sizeof *overwritten);
  memcpy(overwritten, white, moving * sizeof *overwritten);
  CHECK(millbase_probe_many(db, overwritten, black, to_move, NULL, NULL, moving, wdl,
                            (int16_t *)overwritten, 2) == MILLBASE_STATUS_OK);
  for (size_t i = 0; i < moving; i++)
    CHECK(wdl[i] == asked[i]->wdl && ((int16_t *)overwritten)[i] == asked[i]->dtw);
  free(overwritten);
  /* A position of a pair that is missing: the others have their values. */
  static const char seven_four[] = "O*O*O*O*/O*O*O***/@*@*@*@* w m s 7 0 4 0 0 0";
  const uint32_t kept[] = {white[5], black[5]};
  const uint8_t kept_side = to_move[5];
  white[5] = bits(seven_four, 'O');
  black[5] = bits(seven_four, '@');
  to_move[5] = 0;
  CHECK(millbase_probe_many(db, white, black, to_move, NULL, NULL, moving, wdl, dtw, 2) ==
        MILLBASE_STATUS_MISSING);
  CHECK(strstr(millbase_last_message(), "the position at index 5: the database 7-4 is missing; build it"));
  CHECK(wdl[5] == MILLBASE_UNKNOWN && dtw[5] == -1);
  for (size_t i = 0; i < moving; i++)
    CHECK(i == 5 || (wdl[i] == asked[i]->wdl && dtw[i] == asked[i]->dtw));
  white[5] = kept[0];
  black[5] = kept[1];
  to_move[5] = kept_side;
  CHECK(millbase_probe_many(db, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL, 1) == MILLBASE_STATUS_OK);
  CHECK(millbase_probe_many(db, white, NULL, to_move, NULL, NULL, 1, wdl, dtw, 1) ==
        MILLBASE_STATUS_ARGUMENT);
  CHECK(strstr(millbase_last_message(), "black is a null pointer"));
  CHECK(millbase_probe_many(db, white, black, to_move, NULL, NULL, 1, wdl, NULL, 1) ==
        MILLBASE_STATUS_ARGUMENT);
  black[3] = white[3] = 7;
  memset(wdl, 9, sizeof wdl);
  CHECK(millbase_probe_many(db, white, black, to_move, NULL, NULL, moving, wdl, dtw, 1) ==
        MILLBASE_STATUS_POSITION);
  CHECK(strstr(millbase_last_message(), "index 3 "));
  CHECK(wdl[0] == 9);
}

/* A game from the start, which no database here answers. */
static void in_a_game(void) {
  static const char *const line[] = {"a7", "b6", "d7", "f6"};
  char position[MILLBASE_POSITION_SIZE];
  char start[MILLBASE_POSITION_SIZE];
  millbase_turn turns[64];
  size_t count = 0;
  CHECK(millbase_start(db, start) == MILLBASE_STATUS_OK);
  CHECK(strncmp(start, "********/********/******** w p p 0 9 0 9 0 0", 44) == 0);
  CHECK(millbase_legal_turns(db, start, turns, 64, &count) == MILLBASE_STATUS_OK && count == 24);
  strcpy(position, start);
  for (int i = 0; i < 4; i++)
    CHECK(millbase_play(db, position, line[i], position) == MILLBASE_STATUS_OK);
  CHECK(millbase_play(db, position, "a7", position) == MILLBASE_STATUS_POSITION);
  CHECK(strstr(millbase_last_message(), "a7 is not a legal turn of white here: "));
  CHECK(millbase_play(db, position, "g7", position) == MILLBASE_STATUS_POSITION);
  CHECK(strstr(millbase_last_message(), "must remove a stone"));

  const millbase_limits two_turns = {.depth = 2};
  millbase_choice choice, again;
  CHECK(millbase_choose(db, position, NULL, 30, 0, &two_turns, NULL, &choice) == MILLBASE_STATUS_OK);
  /* All other turns lose. */
  CHECK(strcmp(choice.turn, "d6") == 0 || strncmp(choice.turn, "g7x", 3) == 0);
  CHECK(choice.depth == 2 && choice.nodes > 0);
  CHECK(choice.value.wdl == MILLBASE_UNKNOWN && choice.score_is == MILLBASE_SCORE_ESTIMATE &&
        choice.score > -100 && choice.score < 100); /* It is a draw. */
  CHECK(millbase_choose(db, start, " a7 b6 d7\nf6", 30, 0, &two_turns, NULL, &again) ==
        MILLBASE_STATUS_OK);
  CHECK(strcmp(choice.turn, again.turn) == 0);
  CHECK(millbase_play(db, position, choice.turn, position) == MILLBASE_STATUS_OK);
  CHECK(strcmp(position, choice.position) == 0);
  CHECK(millbase_choose(db, start, "a7 a7", 30, 0, &two_turns, NULL, &choice) == MILLBASE_STATUS_POSITION);
  CHECK(millbase_choose(db, start, NULL, 31, 0, &two_turns, NULL, &choice) == MILLBASE_STATUS_ARGUMENT);
  CHECK(strcmp(millbase_last_message(), "level must be from 0 to 30, not 31") == 0);
  const millbase_limits none = {0};
  CHECK(millbase_choose(db, start, NULL, 30, 0, &none, NULL, &choice) == MILLBASE_STATUS_ARGUMENT);
  CHECK(strstr(millbase_last_message(), "needs a token"));
  CHECK(millbase_choose(db, start, NULL, 30, 0, &two_turns, NULL, NULL) == MILLBASE_STATUS_ARGUMENT);

  /* The whole line to the end of the game, and its first turns. */
  static const char win[] = "***O**@*/*O@***@*/**@**O** w m s 3 0 4 0 0 0";
  millbase_line_end end;
  CHECK(millbase_line(db, win, 300, turns, 64, &count, &end) == MILLBASE_STATUS_OK);
  CHECK(count == 21 && end == MILLBASE_LINE_END_OVER && turns[20].value.dtw == 1);
  CHECK(millbase_choose(db, win, NULL, 30, 0, NULL, NULL, &choice) == MILLBASE_STATUS_OK);
  CHECK(strcmp(choice.turn, turns[0].turn) == 0 && choice.value.wdl == 1 && choice.value.dtw == 21);
  CHECK(choice.score_is == MILLBASE_SCORE_WIN && choice.score == 21);
  CHECK(millbase_choose(db, turns[20].position, NULL, 30, 0, NULL, NULL, &choice) == MILLBASE_STATUS_OK);
  CHECK(choice.turn[0] == '\0' && choice.value.wdl == -1 && choice.value.dtw == 0);
  CHECK(strcmp(choice.position, turns[20].position) == 0);
  millbase_turn few[3];
  CHECK(millbase_line(db, win, 5, few, 3, &count, NULL) == MILLBASE_STATUS_OK && count == 5);
  CHECK(memcmp(&few[2], &turns[2], sizeof few[2].turn + sizeof few[2].position) == 0);
  CHECK(millbase_line(db, win, 5, few, 3, &count, &end) == MILLBASE_STATUS_OK &&
        end == MILLBASE_LINE_END_LIMIT);
}

/* Two games of a text, with a remark about the second. */
static void games(void) {
  static const char text[] = "1. 5 14 2. 20 19 1-0\n1. a7 g1 2. a7 0-1\n";
  char json[4096];
  size_t length = 0;
  CHECK(millbase_read_games(db, text, NULL, 0, &length) == MILLBASE_STATUS_OK && length > 500);
  CHECK(millbase_read_games(db, text, json, sizeof json, &length) == MILLBASE_STATUS_OK);
  CHECK(length <= sizeof json && strlen(json) + 1 == length);
  CHECK(strncmp(json, "{\"version\":1,\"games\":[{\"rules\":\"standard\",", 42) == 0);
  CHECK(strstr(json, "{\"turn\":\"d2\",") && strstr(json, "\"reason\":\"illegal\",") && strstr(json, "\"left_out\":0}"));
  CHECK(millbase_read_games(db, NULL, json, sizeof json, &length) == MILLBASE_STATUS_ARGUMENT);
  CHECK(millbase_read_games(db, text, NULL, 1, &length) == MILLBASE_STATUS_ARGUMENT);
  CHECK(millbase_read_games(db, text, json, sizeof json, NULL) == MILLBASE_STATUS_ARGUMENT);
}

/* Sets a token after a tenth of a second. */
static void *set_later(void *stop) {
  const struct timespec tenth = {.tv_nsec = 100000000};
  nanosleep(&tenth, NULL);
  millbase_stop_set(stop);
  return NULL;
}

static void stopped(void) {
  static const char start[] = "********/********/******** w p p 0 9 0 9 0 0";
  const millbase_limits none = {0};
  millbase_choice choice;
  millbase_stop *stop = millbase_stop_new();
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, set_later, stop) == 0);
  CHECK(millbase_choose(db, start, NULL, 30, 0, &none, stop, &choice) == MILLBASE_STATUS_OK);
  CHECK(pthread_join(thread, NULL) == 0);
  char position[MILLBASE_POSITION_SIZE];
  CHECK(millbase_play(db, start, choice.turn, position) == MILLBASE_STATUS_OK);
  /* It stays set. */
  CHECK(millbase_choose(db, start, NULL, 30, 0, &none, stop, &choice) == MILLBASE_STATUS_OK);
  millbase_stop_free(stop);
  millbase_stop_free(NULL);
  millbase_stop_set(NULL);
}

/* Rules of other sets, and of settings. */
static void other_rules(const char *folder) {
  static const char settings[] = "base = 'ten'\nflying = 0\n";
  char path[4096], position[MILLBASE_POSITION_SIZE];
  millbase_db *other;
  millbase_pair pairs[3];
  size_t count = 0;
  CHECK(millbase_pairs(db, pairs, 3, &count) == MILLBASE_STATUS_OK && count == 6);
  CHECK(pairs[0].larger == 3 && pairs[0].smaller == 3 && pairs[1].larger == 4 && pairs[1].smaller == 3);
  snprintf(path, sizeof path, "%s/own.toml", folder);
  FILE *file = fopen(path, "wb");
  CHECK(file != NULL && fputs(settings, file) >= 0 && fclose(file) == 0);
  for (int i = 0; i < 3; i++) {
    CHECK((i == 0   ? millbase_open(NULL, "ten", &other)
           : i == 1 ? millbase_open(NULL, path, &other)
                    : millbase_open_settings(NULL, settings, &other)) == MILLBASE_STATUS_OK);
    CHECK(millbase_start(other, position) == MILLBASE_STATUS_OK);
    CHECK(strstr(position, " w p p 0 10 0 10 "));
    CHECK(millbase_pairs(other, NULL, 0, &count) == MILLBASE_STATUS_OK && count == (i == 0 ? 6 : 0));
    millbase_close(other);
  }
  /* Under a limit, positions have the count of quiet turns. */
  static const char late[] = "***O**@*/*O@***@*/**@**O** w m s 3 0 4 0 0 0 -1 -1 -1 -1 0 34 1";
  char after[MILLBASE_POSITION_SIZE];
  CHECK(millbase_open_settings(NULL, "base = 'standard-100'", &other) == MILLBASE_STATUS_OK);
  CHECK(millbase_play(other, late, "a1-e4", after) == MILLBASE_STATUS_OK);
  CHECK(strcmp(after + strlen(after) - 5, " 35 1") == 0);
  millbase_close(other);
  CHECK(millbase_open_settings(NULL, "\nstones = 99", &other) == MILLBASE_STATUS_POSITION && other == NULL);
  CHECK(strcmp(millbase_last_message(), "line 2: stones must be from 3 to 12") == 0);
  CHECK(millbase_open_settings(NULL, NULL, &other) == MILLBASE_STATUS_ARGUMENT);
  CHECK(remove(path) == 0);
  CHECK(millbase_open(NULL, path, &other) == MILLBASE_STATUS_POSITION);
  CHECK(strstr(millbase_last_message(), "own.toml' cannot be used: cannot read the file"));
}

static void hostile(const char *folder) {
  static const char win[] = "***O**@*/*O@***@*/**@**O** w m s 3 0 4 0 0 0";
  millbase_value value;
  millbase_turn turn;
  millbase_db *other = (millbase_db *)&value;
  size_t count;
  CHECK(millbase_open(NULL, NULL, NULL) == MILLBASE_STATUS_ARGUMENT);
  CHECK(millbase_open(NULL, "chess", &other) == MILLBASE_STATUS_POSITION && other == NULL);
  CHECK(strstr(millbase_last_message(), "the rules 'chess' cannot be used: there are no such rules, only standard, "));
  CHECK(millbase_open(NULL, "\xff", &other) == MILLBASE_STATUS_ARGUMENT);
  CHECK(strstr(millbase_last_message(), "rules is not UTF-8"));
  /* Names of folders are any bytes. */
  char bytes[4096];
  snprintf(bytes, sizeof bytes, "%s/\xff\xfe", folder);
  CHECK(millbase_open(bytes, NULL, &other) == MILLBASE_STATUS_OTHER && other == NULL);
  CHECK(mkdir(bytes, 0777) == 0);
  CHECK(millbase_open(bytes, NULL, &other) == MILLBASE_STATUS_OK);
  CHECK(millbase_probe(other, win, &value) == MILLBASE_STATUS_OK && value.dtw == 21);
  millbase_close(other);
  CHECK(millbase_open("/nowhere", NULL, &other) == MILLBASE_STATUS_OTHER);
  CHECK(strstr(millbase_last_message(), "/nowhere cannot be used"));
  CHECK(millbase_probe(NULL, win, &value) == MILLBASE_STATUS_ARGUMENT);
  CHECK(strcmp(millbase_last_message(), "db is a null pointer") == 0);
  CHECK(millbase_probe(db, NULL, &value) == MILLBASE_STATUS_ARGUMENT);
  CHECK(millbase_probe(db, win, NULL) == MILLBASE_STATUS_ARGUMENT);
  CHECK(millbase_turns(db, win, NULL, 1, &count) == MILLBASE_STATUS_ARGUMENT);
  CHECK(millbase_turns(db, win, &turn, 1, NULL) == MILLBASE_STATUS_ARGUMENT);
  CHECK(millbase_turns(db, win, NULL, 0, &count) == MILLBASE_STATUS_OK && count > 1);
  CHECK(millbase_best_turn(db, win, NULL) == MILLBASE_STATUS_ARGUMENT);
  CHECK(millbase_start(NULL, bytes) == MILLBASE_STATUS_ARGUMENT);
  CHECK(millbase_start(db, NULL) == MILLBASE_STATUS_ARGUMENT);
  CHECK(millbase_play(db, win, NULL, bytes) == MILLBASE_STATUS_ARGUMENT);
  CHECK(millbase_play(db, win, "rubbish", bytes) == MILLBASE_STATUS_POSITION);
  CHECK(millbase_play(db, win, "a1-e4", NULL) == MILLBASE_STATUS_ARGUMENT);
  CHECK(millbase_legal_turns(db, "", &turn, 1, &count) == MILLBASE_STATUS_POSITION);
  CHECK(millbase_line(db, win, 3, NULL, 3, &count, NULL) == MILLBASE_STATUS_ARGUMENT);
  CHECK(millbase_pairs(db, NULL, 1, &count) == MILLBASE_STATUS_ARGUMENT);
  CHECK(millbase_pairs(NULL, NULL, 0, &count) == MILLBASE_STATUS_ARGUMENT);
  CHECK(millbase_probe(db, "O\xc3\x28 w", &value) == MILLBASE_STATUS_ARGUMENT);
  CHECK(millbase_probe(db, "", &value) == MILLBASE_STATUS_POSITION);
  CHECK(strcmp(millbase_last_message(), "the position is empty") == 0);
  char *long_text = malloc(100001);
  memset(long_text, 'O', 100000);
  long_text[100000] = '\0';
  CHECK(millbase_probe(db, long_text, &value) == MILLBASE_STATUS_POSITION);
  free(long_text);
  CHECK(millbase_probe(db, "O*O*O*O*/O*O*O***/@*@*@*@* w m s 7 0 4 0 0 0", &value) ==
        MILLBASE_STATUS_MISSING);
  CHECK(strstr(millbase_last_message(), "7-4 is missing; build it with the program millbase"));
  CHECK(millbase_probe(db, "********/********/******** w p p 0 9 0 9 0 0", &value) ==
        MILLBASE_STATUS_MISSING);
  CHECK(strstr(millbase_last_message(), "too many stones are still in hand"));

  /* The beginning of a file, of this version and of another. */
  static const char begin[40] = "\x8eMILLDB\n\x63";
  const size_t lengths[] = {8, sizeof begin};
  const char *const sentences[] = {"4-3.mill is corrupted", "4-3.mill has format version 99"};
  char path[4096];
  snprintf(path, sizeof path, "%s/4-3.mill", folder);
  for (int i = 0; i < 2; i++) {
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL && fwrite(begin, 1, lengths[i], file) == lengths[i] && fclose(file) == 0);
    CHECK(millbase_open(folder, "standard", &other) == MILLBASE_STATUS_OK);
    CHECK(millbase_probe(other, win, &value) == MILLBASE_STATUS_CORRUPT);
    CHECK(strstr(millbase_last_message(), sentences[i]));
    millbase_close(other);
  }
  millbase_close(NULL);
}

/* Positions with stones in hand, which files of pairs have under some rules. */
static void sectors(const char *path) {
  char bundle[512], rules[512];
  snprintf(bundle, sizeof bundle, "%s.mdb", path);
  snprintf(rules, sizeof rules, "%s.toml", path);
  millbase_db *opened;
  CHECK(millbase_open(bundle, rules, &opened) == MILLBASE_STATUS_OK);
  millbase_value value;
  CHECK(millbase_probe(opened, "********/********/******** w p p 0 3 0 3 0 0", &value) == MILLBASE_STATUS_OK);
  CHECK(value.wdl == 1 && value.dtw == 23);
  CHECK(millbase_probe(opened, "********/******O*/*****@O* b p p 2 1 1 2 0 0", &value) == MILLBASE_STATUS_OK);
  CHECK(value.wdl == -1 && value.dtw == 20);
  millbase_close(opened);
}

/* Asks what only the bundle answers. */
static void check_bundled(millbase_db *bundled, millbase_status expected) {
  millbase_value value;
  const char *fen = "OO*@****/*@******/@O****** w m s 3 0 3 0 0 0";
  CHECK(millbase_probe(bundled, fen, &value) == expected);
}

/* A bundle by its path, in the middle of another file, and in memory, with small caches. */
static void bundles(const char *folder, const char *path) {
  FILE *file = fopen(path, "rb");
  CHECK(file != NULL && fseek(file, 0, SEEK_END) == 0);
  size_t length = (size_t)ftell(file);
  unsigned char *bytes = malloc(length);
  rewind(file);
  CHECK(bytes != NULL && fread(bytes, 1, length, file) == length);
  fclose(file);
  char asset[512];
  snprintf(asset, sizeof asset, "%s/asset", folder);
  file = fopen(asset, "wb");
  CHECK(file != NULL && fwrite("before", 1, 6, file) == 6);
  CHECK(fwrite(bytes, 1, length, file) == length && fwrite("after", 1, 5, file) == 5);
  fclose(file);

  millbase_db *opened;
  CHECK(millbase_open(NULL, "no-flying", &opened) == MILLBASE_STATUS_OK);
  check_bundled(opened, MILLBASE_STATUS_MISSING);
  millbase_close(opened);
  CHECK(millbase_open(path, "no-flying", &opened) == MILLBASE_STATUS_OK);
  CHECK(millbase_set_cache_bytes(opened, 1 << 20) == MILLBASE_STATUS_OK);
  check_bundled(opened, MILLBASE_STATUS_OK);
  millbase_close(opened);
  int fd = open(asset, O_RDONLY);
  CHECK(fd >= 0);
  CHECK(millbase_open_fd(fd, 6, length, "no-flying", &opened) == MILLBASE_STATUS_OK);
  check_bundled(opened, MILLBASE_STATUS_OK);
  millbase_close(opened);
  CHECK(millbase_open_fd(fd, 5, length, "no-flying", &opened) == MILLBASE_STATUS_CORRUPT);
  CHECK(millbase_open_fd(fd, 6, length + 1, "no-flying", &opened) == MILLBASE_STATUS_CORRUPT);
  close(fd);
  CHECK(millbase_open_fd(-1, 0, length, NULL, &opened) == MILLBASE_STATUS_ARGUMENT && opened == NULL);
  CHECK(millbase_open_memory(bytes, length, "no-flying", &opened) == MILLBASE_STATUS_OK);
  check_bundled(opened, MILLBASE_STATUS_OK);
  size_t pairs = 0;
  CHECK(millbase_pairs(opened, NULL, 0, &pairs) == MILLBASE_STATUS_OK && pairs == 2);
  millbase_close(opened);
  CHECK(millbase_open_memory(bytes, length - 1, "no-flying", &opened) == MILLBASE_STATUS_CORRUPT);
  CHECK(millbase_open_memory(NULL, 0, "no-flying", &opened) == MILLBASE_STATUS_ARGUMENT);
  CHECK(millbase_set_cache_bytes(NULL, 0) == MILLBASE_STATUS_ARGUMENT);
  free(bytes);
}

/* What an engine says, and whether it has chosen. */
struct heard {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  char best[64];
  int lines;
};

static void hear(const char *line, void *context) {
  struct heard *heard = context;
  pthread_mutex_lock(&heard->lock);
  heard->lines++;
  if (strncmp(line, "bestmove ", 9) == 0)
    snprintf(heard->best, sizeof heard->best, "%s", line + 9);
  pthread_cond_signal(&heard->changed);
  pthread_mutex_unlock(&heard->lock);
}

/* The engine protocol as functions. */
static void engine(void) {
  struct heard heard = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, "", 0};
  millbase_engine *engine;
  CHECK(millbase_engine_new(db, NULL, NULL, &engine) == MILLBASE_STATUS_ARGUMENT && engine == NULL);
  CHECK(millbase_engine_new(db, hear, &heard, &engine) == MILLBASE_STATUS_OK);
  CHECK(millbase_set_cache_bytes(db, 1 << 20) == MILLBASE_STATUS_ARGUMENT);
  CHECK(millbase_engine_send(engine, "uci") == MILLBASE_STATUS_OK);
  CHECK(millbase_engine_send(engine, "position fen ***O**@*/*O@***@*/**@**O** w m s 3 0 4 0 0 0\n") == MILLBASE_STATUS_OK);
  CHECK(millbase_engine_send(engine, "go movetime 50") == MILLBASE_STATUS_OK);
  CHECK(millbase_engine_send(engine, NULL) == MILLBASE_STATUS_ARGUMENT);
  pthread_mutex_lock(&heard.lock);
  while (heard.best[0] == '\0')
    pthread_cond_wait(&heard.changed, &heard.lock);
  CHECK(strcmp(heard.best, "a1-e4") == 0 && heard.lines > 10);
  pthread_mutex_unlock(&heard.lock);
  /* A search without a limit ends with the engine. */
  CHECK(millbase_engine_send(engine, "position startpos") == MILLBASE_STATUS_OK);
  CHECK(millbase_engine_send(engine, "go infinite") == MILLBASE_STATUS_OK);
  millbase_engine_free(engine);
  millbase_engine_free(NULL);
}

int main(int argc, char **argv) {
  CHECK(argc == 5);
  CHECK(strcmp(millbase_last_message(), "") == 0);
  char version[32];
  snprintf(version, sizeof version, "%d.%d.%d", MILLBASE_VERSION_MAJOR, MILLBASE_VERSION_MINOR,
           MILLBASE_VERSION_PATCH);
  CHECK(strcmp(millbase_version(), MILLBASE_VERSION) == 0);
  CHECK(strncmp(MILLBASE_VERSION, version, strlen(version)) == 0);
  read_table(argv[1]);
  CHECK(millbase_open(NULL, NULL, &db) == MILLBASE_STATUS_OK);
  pthread_t threads[THREADS];
  for (uintptr_t i = 0; i < THREADS; i++)
    CHECK(pthread_create(&threads[i], NULL, ask, (void *)i) == 0);
  for (int i = 0; i < THREADS; i++)
    CHECK(pthread_join(threads[i], NULL) == 0);
  in_bulk();
  in_a_game();
  games();
  stopped();
  other_rules(argv[2]);
  hostile(argv[2]);
  bundles(argv[2], argv[3]);
  sectors(argv[4]);
  engine();
  millbase_close(db);
  printf("C: %d checks\n", checks);
  return checks > 5000 ? 0 : 1;
}
