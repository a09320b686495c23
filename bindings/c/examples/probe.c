/* Asks for a position and its turns: probe [POSITION [FOLDER]]. */
#include <stdio.h>
#include <stdlib.h>

#include "millbase.h"

static const char *const results[] = {"loss", "draw", "win"};

/* All turns, best first: the first call says how many there are, the second has room for them. */
static millbase_status all_turns(const millbase_db *db, const char *fen,
                                 millbase_turn **turns, size_t *count) {
  const millbase_status status = millbase_turns(db, fen, NULL, 0, count);
  if (status != MILLBASE_STATUS_OK || *count == 0)
    return status;
  *turns = malloc(*count * sizeof **turns);
  if (*turns == NULL)
    abort();
  return millbase_turns(db, fen, *turns, *count, count);
}

int main(int argc, char **argv) {
  const char *fen = argc > 1 ? argv[1] : "***O**@*/*O@***@*/**@**O** w m s 3 0 4 0 0 0";
  millbase_db *db;
  millbase_turn *turns = NULL;
  size_t count = 0;
  int failed = millbase_open(argc > 2 ? argv[2] : NULL, NULL, &db) != MILLBASE_STATUS_OK ||
               all_turns(db, fen, &turns, &count) != MILLBASE_STATUS_OK;
  if (failed)
    fprintf(stderr, "%s\n", millbase_last_message());
  for (size_t i = 0; !failed && i < count; i++) {
    const millbase_value value = turns[i].value;
    printf("%s %s", turns[i].turn, results[value.wdl + 1]);
    if (value.dtw >= 0)
      printf(" in %d", value.dtw);
    printf("\n");
  }
  free(turns);
  millbase_close(db);
  return failed;
}
