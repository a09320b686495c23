// Prints the best turn of a position, with a bundle in a part of an open file, as Android hands out an asset:
// `AssetFileDescriptor` has its descriptor, offset and length.
import 'dart:ffi';
import 'dart:io';
import 'package:ffi/ffi.dart';

final class Value extends Struct {
  @Int8()
  external int wdl;
  @Int16()
  external int dtw;
}

final class Turn extends Struct {
  @Array(16)
  external Array<Uint8> turn;
  @Array(96)
  external Array<Uint8> position;
  external Value value;
}

final library = DynamicLibrary.open('libmillbase_c.so');
final openBundle = library.lookupFunction<
    Int32 Function(Int32, Uint64, Uint64, Pointer<Utf8>, Pointer<Pointer<Void>>),
    int Function(int, int, int, Pointer<Utf8>, Pointer<Pointer<Void>>)>('millbase_open_fd');
final bestTurn = library.lookupFunction<
    Int32 Function(Pointer<Void>, Pointer<Utf8>, Pointer<Turn>),
    int Function(Pointer<Void>, Pointer<Utf8>, Pointer<Turn>)>('millbase_best_turn');
final lastMessage =
    library.lookupFunction<Pointer<Utf8> Function(), Pointer<Utf8> Function()>('millbase_last_message');

String best(int fd, int offset, int length, String position) => using((arena) {
      final db = arena<Pointer<Void>>();
      final turn = arena<Turn>();
      if (openBundle(fd, offset, length, nullptr, db) != 0 ||
          bestTurn(db.value, position.toNativeUtf8(allocator: arena), turn) != 0) {
        throw StateError(lastMessage().toDartString());
      }
      final text = turn.ref.turn;
      return String.fromCharCodes([for (var at = 0; text[at] != 0; at++) text[at]]);
    });

void main(List<String> arguments) {
  final open = DynamicLibrary.process()
      .lookupFunction<Int32 Function(Pointer<Utf8>, Int32), int Function(Pointer<Utf8>, int)>('open');
  final fd = using((arena) => open(arguments[0].toNativeUtf8(allocator: arena), 0));
  print(best(fd, 0, File(arguments[0]).lengthSync(), arguments[1]));
}
