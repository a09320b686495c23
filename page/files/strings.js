/* All words of the page, in each language. Words in braces are filled in. */

export const LANGUAGES = { en: "English", de: "Deutsch" };

const ENGLISH = {
  "rules.standard": "Nine Men’s Morris",
  "rules.no-flying": "Nine Men’s Morris without flying",
  "rules.ten": "Ten Men’s Morris",
  "rules.twelve": "Twelve Men’s Morris",
  "rules.morabaraba": "Morabaraba",
  "rules.own": "Mill with custom rules",
  "language": "Language",
  "noscript": "This page needs JavaScript.",
  "offline": "The server does not answer. Your game is safe; the page keeps trying.",
  "offline.host": "The databases cannot be reached. Your game is safe; what is on this device still answers.",
  "trouble": "There is no answer at the moment; try again.",
  "close": "Close",

  "problem.empty": "The position is empty.",
  "problem.too_short": "The position ends too early: it needs ten fields, as in “********/********/******** w p p 0 9 0 9 0 0”.",
  "problem.not_a_number": "“{word}” stands where the position needs a number.",
  "problem.other_word": "“{word}” stands where the position needs one of {allowed}.",
  "problem.other_phase": "“{word}” does not agree with the stones in hand: White has {white} and Black {black}.",
  "problem.other_action": "The action “{action}” does not agree with the number of stones to remove, {count}.",
  "problem.other_count": "The text says that {side} has {said} stones on the board, but the board shows {count}.",
  "problem.board_length": "The board has {count} characters, but needs 26: three rings of 8, with “/” between them.",
  "problem.board_letter": "Character {place} of the board is “{letter}”, but must be one of {allowed}.",
  "problem.too_many_stones": "{side} has {count} stones on the board and {hand} in hand, more than the {most} of a side.",
  "problem.too_few_stones": "{side} has {count} stones, fewer than {fewest}.",
  "problem.hands": "White cannot have {white} and Black {black} stones in hand when it is {side}’s turn.",
  "problem.both_remove": "Both sides are to remove a stone; only the side to move can.",
  "problem.other_side_removes": "Only {side} can remove a stone now: it is to move.",
  "problem.too_many_removals": "{side} is to remove {count} stones, but can remove at most {most}.",
  "problem.no_mill": "{side} is to remove a stone, but has no mill.",
  "problem.nothing_to_remove": "{side} has no stone on the board that could be removed.",
  "problem.too_long": "The text is longer than {most} bytes.",
  "problem.rules": "The server does not know the rules “{name}”, but {names}.",
  "problem.none_found": "No such position of {pair} was found; choose other stones or another task.",
  "problem.other_build": "Another program is building databases in the server’s folder.",
  "problem.memory": "The server has too little memory for this build.",
  "problem.invalid": "The server cannot answer this question: {message}.",
  "problem.missing": "This server has no database that knows the answer.",
  "problem.corrupt": "A database of the server is damaged: {message}.",
  "problem.system": "The server’s system refused: {message}.",
  "problem.busy": "The server has too much to do; try again in a second.",
  "problem.late": "The answer would take too long.",
  "problem.path": "The server does not know this question; reload the page.",
  "problem.method": "The server does not know this question; reload the page.",
  "problem.forbidden": "This server starts no build for this page.",

  "start.title": "New game",
  "start.white": "Play White",
  "start.black": "Play Black",
  "start.two": "Two players",
  "start.analyse": "Analyse",
  "start.rules": "Game",
  "start.level": "Opponent",
  "level.0": "Beginner", "level.3": "Novice", "level.6": "Learner", "level.9": "Casual", "level.12": "Regular", "level.15": "Club",
  "level.18": "Skilled", "level.21": "Advanced", "level.24": "Strong", "level.26": "Expert", "level.28": "Master", "level.30": "Perfect",
  "start.learn": "New to the game? The rules and exercises are under “Learn”.",

  "notice": "Databases",
  "notice.some": "This server has no databases for positions with more than {most} stones. In those, the opponent searches, and values are missing.",
  "notice.none": "This server has no databases for these rules. The opponent searches, and values are missing.",
  "notice.placing": "This server has no databases for the placing phase. In it, the opponent searches.",
  "notice.command": "This command builds them:",
  "notice.build": "Build them now",
  "notice.size": "{time}, {bytes} on disk, {memory} of memory",
  "build.pairs": "Pair {pair}: {done} of {pairs} finished.",
  "build.placing": "Solving the placing phase.",
  "build.left": "About {time} left.",

  "keep": "On this device",
  "keep.none": "Databases that you keep on this device answer without a network.",
  "keep.here": "{count} files with {bytes} are on this device and answer without a network.",
  "keep.choose": "Databases to keep",
  "keep.pairs": "Moving, up to {most} stones: {bytes}",
  "keep.all": "Moving and placing: {bytes}",
  "keep.start": "Keep", "keep.stop": "Stop", "keep.forget": "Remove all",
  "keep.room": "This browser has not enough room for these databases.",
  "keep.failed": "The download ended early. The complete files stay; try again for the others.",

  "white": "White", "black": "Black",
  "stone.white": "white stone", "stone.black": "black stone", "stone.none": "empty",
  "hand.in": "{count} in hand", "hand.on": "{count} on the board", "hand.lost": "{count} lost",
  "player.hand": "You", "player.machine": "Machine",

  "board": "Board. Arrow keys move along the lines, Enter selects, Escape cancels the selection.",
  "board.role": "mill board",
  "meter": "Value for White",
  "do.remove": "remove", "do.move": "move this stone", "do.go": "move here", "do.place": "place here",
  "is.chosen": "selected", "is.hint": "hint",

  "value.win": "win in {dtw}", "value.draw": "draw", "value.loss": "loss in {dtw}",
  "value.wins": "{side} wins in {turns}", "value.won": "{side} has won", "value.drawn": "Draw",
  "value.unknown": "The value is unknown here", "value.hidden": "The value is hidden", "value.asked": "Looking for the value …",
  "turns.one": "1 turn", "turns.many": "{count} turns",

  "status.played": "{side} played {turn}.",
  "status.fault": "{side} played {turn}, a {fault}.",
  "fault": "blunder: {from} given away, now {to}",
  "status.placing": "{side} to place a stone", "status.moving": "{side} to move", "status.flying": "{side} to move, any empty point is free",
  "status.mill": "{side} closed a mill: choose the stone to remove.",
  "status.from": "{side} moves the stone on {from}: choose its target.",
  "status.pass": "{side} cannot move: choose the pass in the list of turns.",
  "status.thinking": "{side} is thinking.",
  "status.paused": "The machine waits.",
  "status.occurrence": "The position has occurred twice.",

  "why.over": "The game is over; go back or begin a new one.",
  "why.machine": "It is the machine’s turn.",
  "why.theirs": "The stone on {point} is not {side}’s.",
  "why.stuck": "The stone on {point} cannot move: the points next to it are taken.",
  "why.placing": "No stone moves while any is in hand: choose an empty point to place one.",
  "why.taken": "There is a stone on {point} already.",
  "why.first": "Choose the stone to move first.",
  "why.far": "The stone on {from} reaches only {targets}.",
  "why.own": "That is {side}’s own stone; remove one of the other side.",
  "why.none": "There is no stone on {point} to remove.",
  "why.mill": "The stone on {point} is in a mill, and others are not.",

  "over.white": "White wins", "over.black": "Black wins", "over.draw": "The game is drawn",
  "over.you": "You win", "over.machine": "The machine wins",
  "over.stones": "{side} has fewer than three stones.",
  "over.blocked": "{side} cannot move.",
  "over.full_board": "The board is full.",
  "over.repetition": "The position has occurred {count} times.",
  "over.quiet": "For {count} turns no stone was placed or removed.",
  "over.rematch": "Rematch", "over.review": "Review",
  "review.done": "Mistakes: {count}. The game and the graph mark them.",
  "review.none": "No mistake was found.",
  "review.part": "Of {count} turns, {checked} were checked; the values of the others are unknown.",
  "review.unknown": "No turn could be checked: the values are unknown.",
  "review.busy": "Checking all turns …",

  "nav": "Step through the game",
  "nav.first": "First position", "nav.previous": "Previous turn", "nav.next": "Next turn", "nav.last": "Last position",
  "do.back": "Take back", "do.hint": "Hint", "do.more": "Next hint", "do.flip": "Flip", "do.new": "New game", "do.pause": "Pause", "do.on": "Continue",

  "hint.stone": "Hint: move the stone on {point}.",
  "hint.remove": "Hint: remove the stone on {point}.",
  "hint.ring.1": "Hint: place on the inner ring.", "hint.ring.2": "Hint: place on the middle ring.", "hint.ring.3": "Hint: place on the outer ring.",
  "hint.turn": "Hint: {turn}.",
  "hint.why": "{line}: {value}.",
  "hint.otherwise": "Otherwise, {line}: {value}.",
  "hint.same": "All turns have the same result.",
  "hint.expected": "The search expects {line}.",

  "talk": "State of the game",
  "tabs": "Beside the board",
  "tab.game": "Game", "tab.turns": "Turns", "tab.setup": "Set up", "tab.learn": "Learn", "tab.options": "Options",

  "game.none": "No turn has been played.",
  "game.turns": "Turns of the game",
  "game.comment": "Comment on this turn",
  "game.remove": "Delete from here", "game.promote": "Make main line",
  "game.sure": "Delete {count} turns?",
  "game.review": "Find mistakes", "game.mistake": "Next mistake",
  "graph.label": "The value over the game", "graph.faults": "The value over the game; mistakes: {turns}",

  "turns.title": "Turns of this position",
  "turns.values": "Show values",
  "turns.note": "Values are for the side to move. Beside them: the number of replies that keep the opponent’s result. Turns in one row are equal up to symmetry.",
  "explorer.best": "Best line:", "explorer.holds": "{holding} of {replies} replies hold",
  "legend.win": "wins, in turns", "legend.draw": "draws", "legend.loss": "loses, in turns",

  "setup.edit": "Set up a position", "editor.white": "White stone", "editor.black": "Black stone", "editor.none": "Remove",
  "editor.brush": "A click on the board sets", "editor.side": "To move", "editor.hand.white": "White in hand", "editor.hand.black": "Black in hand",
  "editor.clear": "Clear", "editor.use": "Use it", "editor.stop": "Cancel",
  "editor.legal": "The position is legal.", "editor.over": "The position is legal, but the game is over.",
  "editor.take": "remove", "editor.put.white": "put a white stone", "editor.put.black": "put a black stone",
  "setup.position": "Position", "setup.text": "Game", "setup.load": "Load", "setup.copy": "Copy", "setup.link": "Copy link", "setup.copied": "Copied.",
  "setup.hint": "Turns with or without numbers, comments in braces and variations in parentheses.",
  "setup.illegal": "Turn {number}, {turn}, is not legal there; the game before it is loaded.",
  "setup.nothing": "Turn {number}, {turn}, is not legal; nothing is loaded.",
  "setup.unreadable": "This text contains neither a turn nor a position.",
  "setup.earlier": "Earlier games", "setup.turns": "turns: {count}", "setup.open": "Open",

  "learn.puzzles": "Puzzles", "puzzle.choose": "Level", "puzzle.start": "Solve", "puzzle.next": "Next puzzle",
  "puzzle.all": "All levels", "puzzle.beginner": "Beginner", "puzzle.easy": "Easy", "puzzle.medium": "Medium", "puzzle.hard": "Hard",
  "puzzle.expert": "Expert", "puzzle.master": "Master", "puzzle.level": "Level: {level}.",
  "puzzle.win": "{side} to move wins. Turns of its own: {turns}.", "puzzle.hold": "{side} to move. One turn alone holds the draw.",
  "puzzle.right": "Right. Go on.", "puzzle.same": "Right. {other} is as good as {turn}, and the puzzle goes on with it.", "puzzle.solved": "Solved.", "puzzle.helped": "Solved with a hint: it will come again.",
  "puzzle.wrong": "{turn} is not the solution. Try again, or take the next puzzle.",
  "puzzle.hint.stone": "Move the stone on {point}.", "puzzle.hint.point": "Place a stone on {point}.", "puzzle.hint.turn": "The solution is {turn}.",
  "puzzle.tally": "Solved {solved}, failed {failed}.",
  "learn.train": "Practise endgames", "train.goal": "Task", "train.goal.win": "Win a won position", "train.goal.hold": "Hold a drawn position",
  "train.pair": "Stones", "train.start": "Begin", "train.next": "Next position", "train.again": "Try again",
  "train.none": "This server has no databases to practise with.",
  "train.win": "White is to win. The shortest way takes {dtw} turns.", "train.hold": "Hold the draw as White for {turns} turns.",
  "train.solved": "Solved.", "train.lost": "You did not solve it.", "train.held": "Held for {turns} turns: solved.",
  "train.failed": "That gave it away: {from} before, now {to}. Try again, or go to the next position.",
  "train.tally": "Solved {solved}, failed {failed}, {streak} in a row.",
  "learn.rules": "The rules in brief",
  "rule.1": "Each side has {stones} stones. In turns, you place one on an empty point.",
  "rule.2": "Three of your stones in a row along a line are a mill.",
  "rule.remove": "When you close a mill, you remove an opponent’s stone that is not in a mill, or any stone if all are in mills.",
  "rule.remove.any": "When you close a mill, you remove any stone of the opponent.",
  "rule.remove.each": "A turn that closes two mills removes two stones.",
  "rule.3": "When all stones are placed, you move a stone along a line to the next point if it is empty.",
  "rule.fly": "With {flying} stones left you may fly: move to any empty point.",
  "rule.4": "You lose when you have fewer than three stones or cannot move.",
  "rule.4.passes": "You lose when you have fewer than three stones. If you cannot move, you pass.",
  "rule.draw": "The game is drawn when {draws}.",
  "rule.draw.full": "the board is full",
  "rule.draw.repetitions": "a position has occurred {count} times",
  "rule.draw.quiet": "for {count} turns no stone was placed or removed",
  "or": " or ",

  "options.white": "White", "options.black": "Black", "options.level": "Machine",
  "options.coordinates": "Show coordinates", "options.sound": "Sound", "options.notice": "Show the notice about databases",
};

const GERMAN = {
  "rules.standard": "Mühle",
  "rules.no-flying": "Mühle ohne Springen",
  "rules.ten": "Mühle mit zehn Steinen",
  "rules.twelve": "Mühle mit zwölf Steinen",
  "rules.morabaraba": "Morabaraba",
  "rules.own": "Mühle nach eigenen Regeln",
  "language": "Sprache",
  "noscript": "Diese Seite braucht JavaScript.",
  "offline": "Der Server antwortet nicht. Deine Partie ist sicher; die Seite versucht es weiter.",
  "offline.host": "Die Datenbanken sind nicht erreichbar. Deine Partie ist sicher; was auf diesem Gerät liegt, antwortet weiter.",
  "trouble": "Das ist gerade nicht zu beantworten; versuche es noch einmal.",
  "close": "Schließen",

  "problem.empty": "Die Stellung ist leer.",
  "problem.too_short": "Die Stellung endet zu früh: sie braucht zehn Felder, wie in „********/********/******** w p p 0 9 0 9 0 0“.",
  "problem.not_a_number": "„{word}“ steht, wo die Stellung eine Zahl braucht.",
  "problem.other_word": "„{word}“ steht, wo die Stellung eines von {allowed} braucht.",
  "problem.other_phase": "„{word}“ passt nicht zu den Steinen, die zu setzen sind: Weiß hat {white} und Schwarz {black}.",
  "problem.other_action": "Die Aktion „{action}“ passt nicht zur Zahl der Steine, die zu entfernen sind, {count}.",
  "problem.other_count": "Laut Text hat {side} {said} Steine auf dem Brett, aber das Brett zeigt {count}.",
  "problem.board_length": "Das Brett hat {count} Zeichen, braucht aber 26: drei Ringe zu 8, mit „/“ dazwischen.",
  "problem.board_letter": "Zeichen {place} des Bretts ist „{letter}“, muss aber eines von {allowed} sein.",
  "problem.too_many_stones": "{side} hat {count} Steine auf dem Brett und {hand} zu setzen, mehr als die {most} einer Seite.",
  "problem.too_few_stones": "{side} hat {count} Steine, weniger als {fewest}.",
  "problem.hands": "Weiß kann nicht {white} und Schwarz {black} Steine zu setzen haben, wenn {side} am Zug ist.",
  "problem.both_remove": "Beide Seiten sollen einen Stein entfernen; das kann nur die Seite am Zug.",
  "problem.other_side_removes": "Nur {side} ist am Zug und kann einen Stein entfernen.",
  "problem.too_many_removals": "{side} soll {count} Steine entfernen, darf aber höchstens {most}.",
  "problem.no_mill": "{side} soll einen Stein entfernen, hat aber keine Mühle.",
  "problem.nothing_to_remove": "{side} hat keinen Stein auf dem Brett, der entfernt werden könnte.",
  "problem.too_long": "Der Text ist länger als {most} Bytes.",
  "problem.rules": "Der Server kennt die Regeln „{name}“ nicht, nur {names}.",
  "problem.none_found": "Keine solche Stellung von {pair} wurde gefunden; wähle andere Steine oder eine andere Aufgabe.",
  "problem.other_build": "Ein anderes Programm erzeugt gerade Datenbanken im Ordner des Servers.",
  "problem.memory": "Der Server hat dafür zu wenig Arbeitsspeicher.",
  "problem.invalid": "Der Server kann das nicht beantworten: {message}.",
  "problem.missing": "Dieser Server hat keine Datenbank mit der Antwort.",
  "problem.corrupt": "Eine Datenbank des Servers ist beschädigt: {message}.",
  "problem.system": "Das System des Servers hat sich geweigert: {message}.",
  "problem.busy": "Der Server hat zu viel zu tun; versuche es in einer Sekunde noch einmal.",
  "problem.late": "Die Antwort würde zu lange dauern.",
  "problem.path": "Der Server kennt diese Frage nicht; lade die Seite neu.",
  "problem.method": "Der Server kennt diese Frage nicht; lade die Seite neu.",
  "problem.forbidden": "Dieser Server erzeugt für diese Seite keine Datenbanken.",

  "start.title": "Neue Partie",
  "start.white": "Weiß spielen",
  "start.black": "Schwarz spielen",
  "start.two": "Zu zweit",
  "start.analyse": "Analysieren",
  "start.rules": "Spiel",
  "start.level": "Gegner",
  "level.0": "Anfänger", "level.3": "Neuling", "level.6": "Lernend", "level.9": "Gelegentlich", "level.12": "Regelmäßig", "level.15": "Verein",
  "level.18": "Geübt", "level.21": "Fortgeschritten", "level.24": "Stark", "level.26": "Experte", "level.28": "Meister", "level.30": "Perfekt",
  "start.learn": "Neu im Spiel? Regeln und Übungen stehen unter „Lernen“.",

  "notice": "Datenbanken",
  "notice.some": "Stellungen mit mehr als {most} Steinen stehen hier nicht in den Datenbanken. Dort sucht der Gegner, und Werte fehlen.",
  "notice.none": "Für diese Regeln gibt es hier keine Datenbanken. Der Gegner sucht, und Werte fehlen.",
  "notice.placing": "Die Setzphase steht hier nicht in den Datenbanken. Dort sucht der Gegner.",
  "notice.command": "Dieser Befehl erzeugt sie:",
  "notice.build": "Hier erzeugen",
  "notice.size": "{time}, {bytes} auf der Platte, {memory} Arbeitsspeicher",
  "build.pairs": "Paar {pair}: {done} von {pairs} sind fertig.",
  "build.placing": "Die Setzphase wird gelöst.",
  "build.left": "Noch etwa {time}.",

  "keep": "Auf diesem Gerät",
  "keep.none": "Datenbanken, die auf diesem Gerät liegen, antworten auch ohne Netz.",
  "keep.here": "{count} Dateien mit {bytes} liegen auf diesem Gerät und antworten auch ohne Netz.",
  "keep.choose": "Datenbanken, die hier liegen sollen",
  "keep.pairs": "Ziehen, bis {most} Steine: {bytes}",
  "keep.all": "Ziehen und Setzen: {bytes}",
  "keep.start": "Laden", "keep.stop": "Anhalten", "keep.forget": "Alle entfernen",
  "keep.room": "Dieser Browser hat nicht genug Platz für diese Datenbanken.",
  "keep.failed": "Das Laden brach ab. Fertige Dateien bleiben; versuche es für die anderen noch einmal.",

  "white": "Weiß", "black": "Schwarz",
  "stone.white": "weißer Stein", "stone.black": "schwarzer Stein", "stone.none": "leer",
  "hand.in": "{count} zu setzen", "hand.on": "{count} auf dem Brett", "hand.lost": "{count} verloren",
  "player.hand": "Du", "player.machine": "Maschine",

  "board": "Brett. Pfeiltasten gehen die Linien entlang, Eingabe wählt, Escape nimmt die Wahl zurück.",
  "board.role": "Mühlebrett",
  "meter": "Wert für Weiß",
  "do.remove": "entfernen", "do.move": "diesen Stein ziehen", "do.go": "hierher ziehen", "do.place": "hierher setzen",
  "is.chosen": "gewählt", "is.hint": "Tipp",

  "value.win": "Gewinn in {dtw}", "value.draw": "Remis", "value.loss": "Verlust in {dtw}",
  "value.wins": "{side} gewinnt in {turns}", "value.won": "{side} hat gewonnen", "value.drawn": "Remis",
  "value.unknown": "Der Wert ist hier nicht bekannt", "value.hidden": "Der Wert ist verborgen", "value.asked": "Der Wert wird gesucht …",
  "turns.one": "1 Zug", "turns.many": "{count} Zügen",

  "status.played": "{side} zog {turn}.",
  "status.fault": "{side} zog {turn}, {fault}.",
  "fault": "ein Fehler: {from} vergeben, jetzt {to}",
  "status.placing": "{side} setzt einen Stein", "status.moving": "{side} zieht", "status.flying": "{side} springt auf einen beliebigen freien Punkt",
  "status.mill": "{side} hat eine Mühle geschlossen: wähle den Stein, der entfernt wird.",
  "status.from": "{side} zieht den Stein auf {from}: wähle sein Ziel.",
  "status.pass": "{side} kann nicht ziehen und passt: wähle es unter den Zügen.",
  "status.thinking": "{side} überlegt.",
  "status.paused": "Die Maschine wartet.",
  "status.occurrence": "Die Stellung kam zweimal vor.",

  "why.over": "Die Partie ist zu Ende; geh zurück oder beginne eine neue.",
  "why.machine": "Die Maschine ist am Zug.",
  "why.theirs": "Der Stein auf {point} gehört nicht {side}.",
  "why.stuck": "Der Stein auf {point} kann nicht ziehen: die Punkte neben ihm sind besetzt.",
  "why.placing": "Erst werden alle Steine gesetzt: wähle einen freien Punkt.",
  "why.taken": "Auf {point} steht schon ein Stein.",
  "why.first": "Wähle zuerst den Stein, der zieht.",
  "why.far": "Der Stein auf {from} erreicht nur {targets}.",
  "why.own": "Das ist ein eigener Stein von {side}; entferne einen der anderen Seite.",
  "why.none": "Auf {point} steht kein Stein.",
  "why.mill": "Der Stein auf {point} steht in einer Mühle, andere nicht.",

  "over.white": "Weiß gewinnt", "over.black": "Schwarz gewinnt", "over.draw": "Remis",
  "over.you": "Du gewinnst", "over.machine": "Die Maschine gewinnt",
  "over.stones": "{side} hat weniger als drei Steine.",
  "over.blocked": "{side} kann nicht ziehen.",
  "over.full_board": "Das Brett ist voll.",
  "over.repetition": "Die Stellung kam {count}-mal vor.",
  "over.quiet": "In {count} Zügen wurde kein Stein gesetzt oder entfernt.",
  "over.rematch": "Revanche", "over.review": "Durchsehen",
  "review.done": "Fehler: {count}. Sie sind in der Partie und in der Kurve markiert.",
  "review.none": "Kein Fehler gefunden.",
  "review.part": "Von {count} Zügen wurden {checked} geprüft; die Werte der anderen sind nicht bekannt.",
  "review.unknown": "Kein Zug war zu prüfen: die Werte sind nicht bekannt.",
  "review.busy": "Alle Züge werden angesehen …",

  "nav": "Durch die Partie gehen",
  "nav.first": "Erste Stellung", "nav.previous": "Voriger Zug", "nav.next": "Nächster Zug", "nav.last": "Letzte Stellung",
  "do.back": "Zurück", "do.hint": "Tipp", "do.more": "Weiter", "do.flip": "Drehen", "do.new": "Neue Partie", "do.pause": "Pause", "do.on": "Weiter",

  "hint.stone": "Tipp: ziehe den Stein auf {point}.",
  "hint.remove": "Tipp: entferne den Stein auf {point}.",
  "hint.ring.1": "Tipp: setze auf den inneren Ring.", "hint.ring.2": "Tipp: setze auf den mittleren Ring.", "hint.ring.3": "Tipp: setze auf den äußeren Ring.",
  "hint.turn": "Tipp: {turn}.",
  "hint.why": "{line}: {value}.",
  "hint.otherwise": "Sonst, {line}: {value}.",
  "hint.same": "Alle Züge führen zum selben Ergebnis.",
  "hint.expected": "Die Suche erwartet {line}.",

  "talk": "Stand der Partie",
  "tabs": "Neben dem Brett",
  "tab.game": "Partie", "tab.turns": "Züge", "tab.setup": "Aufbau", "tab.learn": "Lernen", "tab.options": "Optionen",

  "game.none": "Noch kein Zug ist gespielt.",
  "game.turns": "Züge der Partie",
  "game.comment": "Kommentar zu diesem Zug",
  "game.remove": "Ab hier löschen", "game.promote": "Zur Hauptlinie",
  "game.sure": "{count} Züge löschen?",
  "game.review": "Fehler suchen", "game.mistake": "Nächster Fehler",
  "graph.label": "Der Wert im Lauf der Partie", "graph.faults": "Der Wert im Lauf der Partie; Fehler: {turns}",

  "turns.title": "Züge dieser Stellung",
  "turns.values": "Werte zeigen",
  "turns.note": "Werte gelten für die Seite am Zug. Daneben: wie viele Antworten das Ergebnis des Gegners halten. Züge in einer Zeile sind bis auf Symmetrie gleich.",
  "explorer.best": "Beste Folge:", "explorer.holds": "{holding} von {replies} Antworten halten",
  "legend.win": "gewinnt, in Zügen", "legend.draw": "Remis", "legend.loss": "verliert, in Zügen",

  "setup.edit": "Stellung aufbauen", "editor.white": "Weißer Stein", "editor.black": "Schwarzer Stein", "editor.none": "Entfernen",
  "editor.brush": "Ein Druck auf das Brett setzt", "editor.side": "Am Zug", "editor.hand.white": "Weiß zu setzen", "editor.hand.black": "Schwarz zu setzen",
  "editor.clear": "Leeren", "editor.use": "Übernehmen", "editor.stop": "Verlassen",
  "editor.legal": "Die Stellung ist möglich.", "editor.over": "Die Stellung ist möglich; die Partie ist in ihr zu Ende.",
  "editor.take": "wegnehmen", "editor.put.white": "weißen Stein setzen", "editor.put.black": "schwarzen Stein setzen",
  "setup.position": "Stellung", "setup.text": "Partie", "setup.load": "Laden", "setup.copy": "Kopieren", "setup.link": "Link kopieren", "setup.copied": "Kopiert.",
  "setup.hint": "Züge, wie man sie schreibt, mit Nummern, Kommentaren in geschweiften Klammern und Varianten in runden.",
  "setup.illegal": "Zug {number}, {turn}, ist dort nicht möglich; die Partie ist bis dahin geladen.",
  "setup.nothing": "Zug {number}, {turn}, ist nicht möglich; nichts ist geladen.",
  "setup.unreadable": "In diesem Text steht weder ein Zug noch eine Stellung.",
  "setup.earlier": "Frühere Partien", "setup.turns": "Züge: {count}", "setup.open": "Öffnen",

  "learn.puzzles": "Rätsel", "puzzle.choose": "Stufe", "puzzle.start": "Lösen", "puzzle.next": "Nächstes Rätsel",
  "puzzle.all": "Alle Stufen", "puzzle.beginner": "Anfänger", "puzzle.easy": "Leicht", "puzzle.medium": "Mittel", "puzzle.hard": "Schwer",
  "puzzle.expert": "Experte", "puzzle.master": "Meister", "puzzle.level": "Stufe: {level}.",
  "puzzle.win": "{side} ist am Zug und gewinnt. Eigene Züge: {turns}.", "puzzle.hold": "{side} ist am Zug. Nur ein Zug hält das Remis.",
  "puzzle.right": "Richtig. Weiter.", "puzzle.same": "Richtig. {other} ist so gut wie {turn}, und das Rätsel geht damit weiter.", "puzzle.solved": "Gelöst.", "puzzle.helped": "Mit Hilfe gelöst: Es kommt wieder.",
  "puzzle.wrong": "{turn} ist nicht die Lösung. Versuche es noch einmal, oder nimm das nächste Rätsel.",
  "puzzle.hint.stone": "Ziehe mit dem Stein auf {point}.", "puzzle.hint.point": "Setze einen Stein auf {point}.", "puzzle.hint.turn": "Die Lösung ist {turn}.",
  "puzzle.tally": "Gelöst {solved}, gescheitert {failed}.",
  "learn.train": "Endspiele üben", "train.goal": "Aufgabe", "train.goal.win": "Gewonnenes gewinnen", "train.goal.hold": "Remis halten",
  "train.pair": "Steine", "train.start": "Beginnen", "train.next": "Nächste Stellung", "train.again": "Noch einmal",
  "train.none": "Zum Üben fehlen Datenbanken.",
  "train.win": "Weiß soll gewinnen. Der kürzeste Weg dauert {dtw} Züge.", "train.hold": "Weiß soll {turns} Züge lang das Remis halten.",
  "train.solved": "Gelöst.", "train.lost": "Das ging nicht auf.", "train.held": "{turns} Züge gehalten: gelöst.",
  "train.failed": "Das hat es vergeben: vorher {from}, jetzt {to}. Versuche es noch einmal, oder nimm die nächste Stellung.",
  "train.tally": "Gelöst {solved}, gescheitert {failed}, {streak} in Folge.",
  "learn.rules": "Die Regeln in Kürze",
  "rule.1": "Jede Seite hat {stones} Steine. Abwechselnd setzt man einen auf einen freien Punkt.",
  "rule.2": "Drei eigene Steine in einer Reihe auf einer Linie sind eine Mühle.",
  "rule.remove": "Wer eine Mühle schließt, entfernt einen Stein des Gegners, der in keiner Mühle steht; stehen alle in Mühlen, irgendeinen.",
  "rule.remove.any": "Wer eine Mühle schließt, entfernt irgendeinen Stein des Gegners.",
  "rule.remove.each": "Ein Zug, der zwei Mühlen schließt, entfernt zwei Steine.",
  "rule.3": "Sind alle gesetzt, zieht man einen Stein auf einer Linie zum nächsten Punkt, wenn er frei ist.",
  "rule.fly": "Mit {flying} Steinen darf man springen: auf jeden freien Punkt.",
  "rule.4": "Wer weniger als drei Steine hat oder nicht ziehen kann, hat verloren.",
  "rule.4.passes": "Wer weniger als drei Steine hat, hat verloren. Wer nicht ziehen kann, passt.",
  "rule.draw": "Remis ist, wenn {draws}.",
  "rule.draw.full": "das Brett voll ist",
  "rule.draw.repetitions": "eine Stellung {count}-mal vorkam",
  "rule.draw.quiet": "in {count} Zügen kein Stein gesetzt oder entfernt wurde",
  "or": " oder ",

  "options.white": "Weiß", "options.black": "Schwarz", "options.level": "Maschine",
  "options.coordinates": "Koordinaten zeigen", "options.sound": "Ton", "options.notice": "Hinweis auf Datenbanken zeigen",
};

export const STRINGS = { en: ENGLISH, de: GERMAN };

let words = ENGLISH;
export let language = "en";

/* The chosen language, else the first of the browser's that the page has. */
export function speak(wanted) {
  const known = [wanted, ...navigator.languages].map(name => name?.slice(0, 2)).find(name => name in STRINGS);
  language = known ?? "en";
  words = STRINGS[language];
  document.documentElement.lang = language;
}

export const t = (key, values = {}) =>
  words[key].replace(/\{(\w+)\}/g, (_, name) => values[name]);

/* Fills in the words that the HTML asks for with `data-t` and `data-label`. */
export function fillIn(root = document) {
  for (const element of root.querySelectorAll("[data-t]")) element.textContent = t(element.dataset.t);
  for (const element of root.querySelectorAll("[data-label]")) element.setAttribute("aria-label", t(element.dataset.label));
}

/* The sentence for a failure of the server: by its reason, else by its code. */
export function problemWords({ code, reason, fields, message }) {
  const key = [reason, code].map(name => `problem.${name}`).find(name => name in words);
  const named = Object.entries(fields ?? {}).map(([name, value]) =>
    [name, ["white", "black"].includes(value) && name === "side" ? t(value) : value]);
  return key ? t(key, { ...Object.fromEntries(named), message }) : `${capital(message)}.`;
}

export const capital = text => text[0].toUpperCase() + text.slice(1);
export const turnsWords = count => count === 1 ? t("turns.one") : t("turns.many", { count });
export const valueWords = ({ wdl, dtw }) => t(`value.${wdl}`, { dtw });

/* Sizes and times, rounded for reading. */
export function bytesWords(bytes) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let unit = 0;
  for (; bytes >= 1000 && unit < units.length - 1; unit++) bytes /= 1000;
  return `${bytes.toLocaleString(language, { maximumFractionDigits: bytes < 10 && unit > 0 ? 1 : 0 })} ${units[unit]}`;
}

export function timeWords(seconds) {
  const minutes = Math.round(seconds / 60);
  if (seconds < 60) return `${Math.max(1, Math.round(seconds))} s`;
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
