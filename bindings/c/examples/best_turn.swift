// Prints the best turn of a position, with the bundle app.mdb among the app's resources.
import CMillbase
import Foundation

struct Failure: Error { let message: String }

func check(_ status: millbase_status) throws {
  if status != MILLBASE_STATUS_OK {
    throw Failure(message: String(cString: millbase_last_message()))
  }
}

func bestTurn(in position: String) throws -> String {
  guard let bundle = Bundle.main.path(forResource: "app", ofType: "mdb") else {
    throw Failure(message: "the app has no app.mdb")
  }
  var db: OpaquePointer?
  try check(millbase_open(bundle, nil, &db))
  defer { millbase_close(db) }
  var turn = millbase_turn()
  try check(millbase_best_turn(db, position, &turn))
  return withUnsafeBytes(of: turn.turn) { bytes in
    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }
}

print(try bestTurn(in: CommandLine.arguments[1]))
