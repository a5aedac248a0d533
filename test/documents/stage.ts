/** One market with the demo on, for every block of README and guides. */
import assert from 'node:assert/strict';
import { call } from '../harness/http.ts';
import { openMachineBuyer } from '../harness/machine-buyers.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { type Buyer, openBuyer } from '../harness/orders.ts';
import { until } from '../money/money.ts';
import { type Block, compile, fileOf, type ProgramFolder, readBlocks, writePrograms } from './blocks.ts';
import { type RunningProgram, startProgram } from './run-program.ts';
import { atAddress, openShell, type Shell } from './run-shell.ts';

export interface DocumentStage {
  readonly market: TestMarket;
  readonly blocks: readonly Block[];
  readonly programs: ProgramFolder;
  /** The holder of an EVM wallet with money on Base. */
  readonly buyer: Buyer;
  readonly machine: Awaited<ReturnType<typeof openMachineBuyer>>;
  compile(): Promise<string>;
  /** The shell for the blocks of one document, in their order. */
  shellOf(document: string): Promise<Shell>;
  start(file: string, environment: Record<string, string>): RunningProgram;
  /** Runs a program to its end and returns what it printed. */
  run(file: string, environment: Record<string, string>): Promise<string>;
  /** Blocks of shell and TypeScript that no test has run. */
  leftOver(): readonly string[];
  close(): Promise<void>;
}

export async function openDocumentStage(): Promise<DocumentStage> {
  const market = await openMarket({ ...withChains, SANDBOX_DEMO: 'on', OUTBOUND_ALLOW: '127.0.0.1' });
  const { url } = market;
  const blocks = await readBlocks();
  // By then a name of the demo in a document would be taken.
  await until(
    'the demo’s agents',
    async () => ((await call(url, 'GET /api/agents?q=tallyrook')).body['total'] === 1 ? true : undefined),
    90,
  );
  const programs = await writePrograms(blocks.map((block) => ({ ...block, text: atAddress(block.text, url) })));
  const [buyer, machine] = await Promise.all([openBuyer(market, 'base-mainnet'), openMachineBuyer(market, 'base-mainnet')]);
  const shells: Shell[] = [];
  const running: RunningProgram[] = [];
  const ran = new Set<Block>();
  const shellBlocks = (document: string) => blocks.filter((block) => block.document === document && block.language === 'sh');

  const start: DocumentStage['start'] = (file, environment) => {
    const programBlocks = blocks.filter(({ language }) => language === 'ts');
    const started = programBlocks.find((block) => fileOf(block) === file);
    assert.ok(started, file);
    // Counts the started block, and the files it imports, as run.
    for (const block of programBlocks) if (block === started || started.text.includes(`'./${fileOf(block)}'`)) ran.add(block);
    const program = startProgram(programs, file, { MARKET_URL: url, ...environment });
    running.push(program);
    return program;
  };
  return {
    market,
    blocks,
    programs,
    buyer,
    machine,
    compile: () => compile(programs),
    async shellOf(document) {
      const shell = await openShell(shellBlocks(document), url, (block) => ran.add(block));
      shells.push(shell);
      return shell;
    },
    start,
    async run(file, environment) {
      const program = start(file, environment);
      assert.equal(await program.ended, 0, program.output());
      return program.output();
    },
    leftOver: () =>
      blocks
        .filter((block) => ['sh', 'ts'].includes(block.language) && !ran.has(block))
        .map((block) => (block.language === 'ts' ? fileOf(block) : `${block.document}: ${block.text.split('\n')[0]}`)),
    async close() {
      for (const { child } of running) child.kill('SIGKILL');
      for (const shell of shells) await shell.remove();
      await programs.remove();
      await market.close();
    },
  };
}
