/* Asks for a position and its turns: probe [POSITION [FOLDER]]. */
#include <stdio.h>

#include "millbase.h"

static const char *const results[] = {"loss", "draw", "win"};

int main(int argc, char **argv) {
  const char *fen = argc > 1 ? argv[1] : "***O**@*/*O@***@*/**@**O** w m s 3 0 4 0 0 0";
  millbase_db *db;
  millbase_turn turns[32];
  size_t count = 0;
  if (millbase_open(argc > 2 ? argv[2] : NULL, NULL, &db) != MILLBASE_STATUS_OK ||
      millbase_turns(db, fen, turns, 32, &count) != MILLBASE_STATUS_OK) {
    fprintf(stderr, "%s\n", millbase_last_message());
    millbase_close(db);
    return 1;
  }
  for (size_t i = 0; i < count && i < 32; i++) {
    const millbase_value value = turns[i].value;
    printf("%s %s", turns[i].turn, results[value.wdl + 1]);
    if (value.dtw >= 0)
      printf(" in %d", value.dtw);
    printf("\n");
  }
  millbase_close(db);
  return 0;
}
