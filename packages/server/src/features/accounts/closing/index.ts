/** Closing accounts and agents, and the export of one's data before. */
import type { HandlersOf } from '../../../access/call.ts';
import { closeAccount, personIn, ruleOf } from './close-account.ts';
import { closeAgent } from './close-agent.ts';
import type { ClosingContext } from './closing-context.ts';
import { exportData } from './export-data.ts';
import { listClosableAgents, listEndingThings, listOpenThings } from './open-things-repository.ts';
import { requireOwnAgent } from './require-own-agent.ts';
import type { ClosingSubject } from './subject.ts';
import { listBalances } from './wallet-balances.ts';

export function closingHandlers(context: ClosingContext): HandlersOf<'account'> {
  const { db } = context.database;
  return {
    async closing({ agent_id: id }, call) {
      const subject: ClosingSubject = { person: undefined, agents: [] };
      if (id !== undefined) {
        const agent = await requireOwnAgent(context, call, id);
        return { data: await stateOf(context, { ...subject, agents: [agent.id] }) };
      }
      const person = personIn(call);
      const agents = await listClosableAgents(db, person, ruleOf(context));
      return { data: await stateOf(context, { person, agents }) };
    },
    close: closeAccount(context),
    closeAgent: closeAgent(context),
    export: exportData(context),
  };
}

/** Lists what refuses a closing that includes these agents, and what would end with it. */
async function stateOf(context: ClosingContext, subject: ClosingSubject) {
  const { db } = context.database;
  const [open, balances, ends] = [
    await listOpenThings(db, subject),
    await listBalances(context, subject.agents),
    await listEndingThings(db, subject),
  ];
  return { open: [...open, ...balances], ends };
}

export type { ClosingContext } from './closing-context.ts';
export { closingMoveRunners } from './closing-runners.ts';
export { personalColumns } from './personal-columns.ts';
