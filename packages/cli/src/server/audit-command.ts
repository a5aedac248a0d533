/** `market audit`: audits the books of the deployment whose settings stand in this shell's environment. */
import { type Command, UsageError } from '../command.ts';

const HELP = `market audit [--figures]

Proves the invariants of the books over the live database and holds them against the chains.
Uses the settings of the service (environment or .env in this folder), changes nothing.
With --figures it rebuilds public figures and reputation from the event log, and compares. It asks no chain.
Prints what does not hold with the rows that break it. Exit code 0: sound. 1: findings, or a node is away.`;

export const auditCommand: Command = {
  summary: 'Prove the books of this deployment',
  help: () => HELP,
  async run(args, terminal) {
    const unknown = args.find((arg) => arg !== '--figures');
    if (unknown !== undefined) throw new UsageError(`market audit does not know ${unknown}.`);
    // Imported here, because the other commands do not need the server.
    const { auditDeployment, auditDeployedFigures } = await import('@market/server/audit');
    const figures = args.includes('--figures');
    const { checked, findings, unchecked } = await (figures ? auditDeployedFigures() : auditDeployment());
    for (const { id, broken, rows } of findings) {
      terminal.print(`${id} does not hold: ${broken}`);
      for (const row of rows)
        terminal.print(`  ${JSON.stringify(row, (_key, value) => (typeof value === 'bigint' ? String(value) : value))}`);
    }
    for (const { network, reason } of unchecked) terminal.print(`${network} could not be compared: ${reason}`);
    terminal.print(`${checked} invariants checked, ${findings.length} broken`);
    if (findings.length > 0) throw new Error(figures ? 'The figures do not agree with the event log.' : 'The books are not sound.');
    if (unchecked.length > 0) throw new Error('A node is away. Run market audit again when it is back.');
  },
};
