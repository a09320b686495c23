// The same in C++: a handle that closes itself, errors as exceptions.
#include <cstddef>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "millbase.h"

class Database {
public:
  explicit Database(const char *folder = nullptr) {
    millbase_db *db = nullptr;
    check(millbase_open(folder, nullptr, &db));
    db_.reset(db);
  }

  std::vector<millbase_turn> turns(const std::string &fen) const {
    std::size_t count = 0;
    check(millbase_turns(db_.get(), fen.c_str(), nullptr, 0, &count));
    std::vector<millbase_turn> turns(count);
    check(millbase_turns(db_.get(), fen.c_str(), turns.data(), count, &count));
    return turns;
  }

private:
  static void check(millbase_status status) {
    if (status != MILLBASE_STATUS_OK)
      throw std::runtime_error(millbase_last_message());
  }

  struct Close {
    void operator()(millbase_db *db) const { millbase_close(db); }
  };
  std::unique_ptr<millbase_db, Close> db_;
};

constexpr const char *results[] = {"loss", "draw", "win"};

int main(int argc, char **argv) try {
  const Database database(argc > 2 ? argv[2] : nullptr);
  const std::string fen =
      argc > 1 ? argv[1] : "***O**@*/*O@***@*/**@**O** w m s 3 0 4 0 0 0";
  for (const millbase_turn &turn : database.turns(fen)) {
    std::cout << turn.turn << " " << results[turn.value.wdl + 1];
    if (turn.value.dtw >= 0)
      std::cout << " in " << turn.value.dtw;
    std::cout << "\n";
  }
  return 0;
} catch (const std::exception &error) {
  std::cerr << error.what() << "\n";
  return 1;
}
