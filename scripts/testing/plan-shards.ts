// Plans which test files share a process, and the order of the processes: the longest first.

/** The stored duration of each file in seconds. */
export type Timings = Readonly<Record<string, number>>;

export interface Shard {
  /** Paths relative to the project. */
  readonly files: readonly string[];
  readonly seconds: number;
  /** True: the file measures time and runs alone on the machine. */
  readonly alone: boolean;
}

export interface ShardPlan {
  readonly timings: Timings;
  /** Returns the text of a file. */
  readonly read: (file: string) => string;
}

const MEASURES_TIME = /\.alone\.test\.ts$/;
const UNKNOWN_SECONDS = 5;
/** Target length of a shard: long enough to share loaded modules, short enough that two workers end together. */
const SHARD_SECONDS = 150;
const MOST_FILES = 60;

/** Files that get their own process: those about crashes, clocks, faults, processes or state that a process shares. */
const OWN_PROCESS: readonly { readonly path?: RegExp; readonly source?: RegExp }[] = [
  { path: /^scripts\// },
  // These tests replace the browser's globals.
  { path: /^packages\/web\/src\/wallets\// },
  // Nodes and servers of these tests live until the process ends.
  { path: /^packages\/server\/src\/platform\/facilitator\// },
  { source: /\/(?:evm-test-chain|bent-node|idp-token-test-provider)\.ts/ },
  { path: /^test\/faults\// },
  { path: /^test\/(?:demo|site)\// },
  {
    source:
      /process\.env\[?[.'A-Z_a-z\]]+ = |delete process\.env|process\.(?:on|exit|chdir)\(|mock\.(?:timers|method|module)|registerHooks|globalThis\.\w+ = |Object\.defineProperty\(globalThis/,
  },
];

/** Files of one kind load the same modules. */
const KINDS: readonly { readonly kind: string; readonly source: RegExp }[] = [
  { kind: 'browser', source: /openBrowser/ },
  { kind: 'chains', source: /withChains|openSharedMoney|openSandboxChains|openMoney/ },
  { kind: 'market', source: /harness\/|createApp|@market\/server/ },
];

export function planShards(files: readonly string[], plan: ShardPlan): Shard[] {
  const shards: Shard[] = [];
  const kinds = new Map<string, string[]>();
  for (const file of files) {
    const kind = kindOf(file, plan);
    if (kind === undefined) shards.push(shardOf([file], plan.timings));
    else kinds.set(kind, [...(kinds.get(kind) ?? []), file]);
  }
  for (const group of kinds.values()) shards.push(...pack(group, plan.timings));
  return shards.sort((a, b) => Number(a.alone) - Number(b.alone) || b.seconds - a.seconds);
}

/** Returns undefined for a file that needs its own process. */
function kindOf(file: string, { read }: ShardPlan): string | undefined {
  if (MEASURES_TIME.test(file)) return undefined;
  const source = read(file);
  if (OWN_PROCESS.some((rule) => rule.path?.test(file) === true || rule.source?.test(source) === true)) return undefined;
  const folder = file.startsWith('packages/') ? file.split('/').slice(0, 2).join('/') : 'test';
  return `${KINDS.find((candidate) => candidate.source.test(source))?.kind ?? 'pure'} ${folder}`;
}

/** Assigns files to shards, longest first, each to the shortest shard so far. */
function pack(files: readonly string[], timings: Timings): Shard[] {
  const total = files.reduce((sum, file) => sum + secondsOf(file, timings), 0);
  const count = Math.max(Math.ceil(total / SHARD_SECONDS), Math.ceil(files.length / MOST_FILES));
  const bins = Array.from({ length: count }, () => ({ files: [] as string[], seconds: 0 }));
  for (const file of files.toSorted((a, b) => secondsOf(b, timings) - secondsOf(a, timings))) {
    const shortest = bins.reduce((best, bin) => (bin.seconds < best.seconds ? bin : best));
    shortest.files.push(file);
    shortest.seconds += secondsOf(file, timings);
  }
  return bins.filter((bin) => bin.files.length > 0).map((bin) => shardOf(bin.files, timings));
}

function shardOf(files: readonly string[], timings: Timings): Shard {
  const seconds = files.reduce((sum, file) => sum + secondsOf(file, timings), 0);
  return { files, seconds, alone: files.some((file) => MEASURES_TIME.test(file)) };
}

function secondsOf(file: string, timings: Timings): number {
  return timings[file] ?? UNKNOWN_SECONDS;
}

/** Shuffles shards and the files in them. The same seed gives the same order. */
export function shuffleShards(shards: readonly Shard[], seed: number): Shard[] {
  const random = createRandom(seed);
  const mixed = shuffle(shards, random).map((shard) => ({ ...shard, files: shuffle(shard.files, random) }));
  return mixed.sort((a, b) => Number(a.alone) - Number(b.alone));
}

function shuffle<T>(items: readonly T[], random: () => number): T[] {
  return items
    .map((item) => ({ item, rank: random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}

/** Mulberry32, a small generator that is good enough for shuffling. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
