/* The C library against the table of positions, from several threads, and on hostile input:
 *     table ../positions.csv A_FOLDER
 * The folder is empty; files cut short are written there. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static void in_bulk(void) {
  static uint32_t white[MOST], black[MOST];
  static uint8_t to_move[MOST];
  static int8_t wdl[MOST];
  static int16_t dtw[MOST];
  static const struct row *asked[MOST];
  size_t count = 0;
  for (size_t i = 0; i < row_count; i++) {
    const char *fen = rows[i].fen;
    if (strcmp(rows[i].phase, "placing") == 0 || strstr(fen, " r "))
      continue;
    asked[count] = &rows[i];
    white[count] = bits(fen, 'O');
    black[count] = bits(fen, '@');
    to_move[count++] = strstr(fen, " b ") != NULL;
  }
  CHECK(count > 800);
  for (size_t threads = 0; threads <= 4; threads += 2) {
    memset(wdl, 9, sizeof wdl);
    CHECK(millbase_probe_many(db, white, black, to_move, count, wdl, dtw, threads) ==
          MILLBASE_STATUS_OK);
    for (size_t i = 0; i < count; i++)
      CHECK(wdl[i] == asked[i]->wdl && dtw[i] == asked[i]->dtw);
  }
  CHECK(millbase_probe_many(db, NULL, NULL, NULL, 0, NULL, NULL, 1) == MILLBASE_STATUS_OK);
  CHECK(millbase_probe_many(db, white, NULL, to_move, 1, wdl, dtw, 1) ==
        MILLBASE_STATUS_ARGUMENT);
  CHECK(strstr(millbase_last_message(), "black is a null pointer"));
  black[3] = white[3] = 7;
  CHECK(millbase_probe_many(db, white, black, to_move, count, wdl, dtw, 1) ==
        MILLBASE_STATUS_POSITION);
  CHECK(strstr(millbase_last_message(), "index 3 "));
}

static void hostile(const char *folder) {
  static const char win[] = "***O**@*/*O@***@*/**@**O** w m s 3 0 4 0 0 0";
  millbase_value value;
  millbase_turn turn;
  millbase_db *other = (millbase_db *)&value;
  size_t count;
  CHECK(millbase_open(NULL, NULL, NULL) == MILLBASE_STATUS_ARGUMENT);
  CHECK(millbase_open(NULL, "chess", &other) == MILLBASE_STATUS_POSITION && other == NULL);
  CHECK(millbase_open("\xff", NULL, &other) == MILLBASE_STATUS_ARGUMENT);
  CHECK(strstr(millbase_last_message(), "folder is not UTF-8"));
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

int main(int argc, char **argv) {
  CHECK(argc == 3);
  CHECK(strcmp(millbase_last_message(), "") == 0);
  CHECK(strlen(millbase_version()) >= 5);
  read_table(argv[1]);
  CHECK(millbase_open(NULL, NULL, &db) == MILLBASE_STATUS_OK);
  pthread_t threads[THREADS];
  for (uintptr_t i = 0; i < THREADS; i++)
    CHECK(pthread_create(&threads[i], NULL, ask, (void *)i) == 0);
  for (int i = 0; i < THREADS; i++)
    CHECK(pthread_join(threads[i], NULL) == 0);
  in_bulk();
  hostile(argv[2]);
  millbase_close(db);
  printf("C: %d checks\n", checks);
  return checks > 5000 ? 0 : 1;
}
