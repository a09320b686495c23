/* The tree of a game: each node has the turn that led to it, and one child for each turn that was
   tried after it. The first child continues the main line. */

let made = 0;

export class Node {
  constructor(turn, position, parent) {
    /* A number of its own, and that of the turns before it. */
    this.key = ++made;
    this.ply = parent ? parent.ply + 1 : 0;
    this.turn = turn;
    this.position = position;
    this.parent = parent;
    this.root = parent?.root ?? this;
    this.children = [];
    this.comment = "";
    /* The marks after the turn; the comment before it, where it begins a variation. */
    this.marks = "";
    this.before = "";
    /* Only of the root: the tags and the result that the game was read with. */
    this.tags = [];
    this.result = null;
    /* The legal turns and the ending, once they are known. */
    this.game = null;
    /* The answer with values; null if there is none, undefined before it is known. */
    this.answer = undefined;
    /* A search's estimate of the position for White. */
    this.estimate = null;
    /* How the players ended the game here: { reason, winner }. */
    this.ended = null;
  }

  /* The nodes from the root to this one. */
  get path() {
    const path = [];
    for (let node = this; node; node = node.parent) path.push(node);
    return path.reverse();
  }

  /* The texts of the turns that lead here. */
  get moves() {
    return this.path.slice(1).map(node => node.turn);
  }

  /* This node and the main line after it. */
  get line() {
    const line = [this];
    while (line.at(-1).children.length > 0) line.push(line.at(-1).children[0]);
    return line;
  }

  /* The whole line through this node. */
  get wholeLine() {
    return [...this.path.slice(0, -1), ...this.line];
  }

  get side() {
    return sideOf(this.position);
  }

  /* The child of a turn; a new one comes last, as a variation. */
  child(turn, position) {
    let child = this.children.find(known => known.turn === turn);
    if (!child) {
      child = new Node(turn, position, this);
      this.children.push(child);
    }
    return child;
  }

  /* Removes this node and all after it from the tree. */
  remove() {
    this.parent.children = this.parent.children.filter(child => child !== this);
  }

  /* Makes the line to this node the main line. */
  promote() {
    for (const node of this.path.slice(1)) {
      const others = node.parent.children.filter(child => child !== node);
      node.parent.children = [node, ...others];
    }
  }

  /* This node and all after it, those of the main line first. */
  get all() {
    return [this, ...this.children.flatMap(child => child.all)];
  }

  /* The number of turns in the tree. */
  get size() {
    return this.children.reduce((size, child) => size + 1 + child.size, 0);
  }

  /* The tree as plain lists, and a tree of such lists. */
  pack() {
    const { marks, before, ended, tags, result } = this;
    const rest = this.parent ? { marks, before, ended } : { tags, result, ended };
    return [this.turn, this.position, this.comment, this.children.map(child => child.pack()), rest];
  }

  static unpack([turn, position, comment, children, rest], parent = null) {
    const node = Object.assign(new Node(turn, position, parent), rest);
    node.comment = comment;
    node.children = children.map(child => Node.unpack(child, node));
    return node;
  }
}

export const sideOf = position => position.split(" ")[1] === "b" ? "black" : "white";
export const other = side => side === "white" ? "black" : "white";
