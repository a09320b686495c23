/* The library plays against itself from the start: play [LEVEL [MILLISECONDS]]. It needs no databases. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "millbase.h"

enum { MOST_TURNS = 200 };

int main(int argc, char **argv) {
  const int level = argc > 1 ? atoi(argv[1]) : 12;
  const millbase_limits limits = {.milliseconds = argc > 2 ? (uint32_t)atoi(argv[2]) : 20};
  char start[MILLBASE_POSITION_SIZE];
  /* The player counts repetitions, so it gets all turns so far. */
  char turns[MOST_TURNS * MILLBASE_TURN_SIZE] = "";
  millbase_choice choice;
  millbase_db *db;
  int failed = millbase_open(NULL, NULL, &db) != MILLBASE_STATUS_OK ||
               millbase_start(db, start) != MILLBASE_STATUS_OK;
  for (int i = 0; !failed && i < MOST_TURNS; i++) {
    failed = millbase_choose(db, start, turns, (uint8_t)level, 1, &limits, NULL, &choice) != MILLBASE_STATUS_OK;
    if (failed || choice.turn[0] == '\0')
      break;
    printf("%d. %s\n", i + 1, choice.turn);
    strcat(strcat(turns, " "), choice.turn);
  }
  if (failed)
    fprintf(stderr, "%s\n", millbase_last_message());
  else
    printf("%s\n", choice.position);
  millbase_close(db);
  return failed;
}
