/** Everything about a person, in sections. Each section is a page of bounded length. */
import { type ExportSection, exportSections, toWireTime } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import { contractsOf } from '../../../access/caller.ts';
import { listWallets } from '../identity/index.ts';
import { personIn } from './close-account.ts';
import type { ClosingContext } from './closing-context.ts';
import { type ExportOwner, readSection } from './export-repository.ts';
import { listOwnAgents } from './open-things-repository.ts';

type Line = Record<string, unknown>;

export function exportData({ database: { db }, clock }: ClosingContext): HandlersOf<'account'>['export'] {
  return async ({ section, limit, offset }, call) => {
    const person = personIn(call);
    const linked = 'userId' in person ? (await listWallets(db, person.userId)).map(({ address }) => address) : [person.wallet];
    const owner: ExportOwner = {
      userId: 'userId' in person ? person.userId : null,
      wallets: linked,
      contracts: contractsOf(call.caller),
      agents: await listOwnAgents(db, person),
    };
    const names: readonly ExportSection[] = section === 'all' ? exportSections : [section];
    const totals: Record<string, number> = {};
    const lines: Line[] = [];
    for (const name of names) {
      const { rows, total } = await readSection(db, name, owner, { limit, offset });
      totals[name] = total;
      lines.push(...(section === 'all' ? rows.map((row, index) => boxed(name, offset + index + 1, row)) : rows.map(flat)));
    }
    return {
      data: {
        of: 'userId' in person ? `user:${person.userId}` : `wallet:${person.wallet}`,
        exported_at: toWireTime(clock.now()),
        lines,
        totals,
        more: names.filter((name) => (totals[name] ?? 0) > offset + limit),
      },
    };
  };
}

/** An export of all sections has the same three columns on every line, because sections differ in theirs. */
function boxed(section: string, number: number, row: Line): Line {
  return { section, number, record: JSON.stringify(row) };
}

/** Writes lists and objects as JSON text, so that each row fits a line of a file. */
function flat(row: Line): Line {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, value !== null && typeof value === 'object' ? JSON.stringify(value) : value]),
  );
}
