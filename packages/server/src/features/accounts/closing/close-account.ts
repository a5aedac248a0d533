/** Closes an account, or the records of a wallet without an account. */
import { MarketError } from '@market/contract';
import { findWaitOfAccount } from '../../../access/authority/owners.ts';
import type { Call, HandlersOf } from '../../../access/call.ts';
import { contractsOf } from '../../../access/caller.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { findUser } from '../identity/index.ts';
import { holdMove, presentWait } from '../moves/index.ts';
import { close, refuseOpen } from './close.ts';
import type { ClosingContext } from './closing-context.ts';
import { listClosableAgents, listOpenThings } from './open-things-repository.ts';
import { listWaitingClosings } from './person-repository.ts';
import type { ClosingSubject } from './subject.ts';
import { listBalances } from './wallet-balances.ts';

export type ClosingPerson = NonNullable<ClosingSubject['person']>;

/** With an account and a wallet, the account is closed; the wallet only signs. A connected program may not close anything. */
export function personIn({ caller }: Pick<Call, 'caller'>): ClosingPerson {
  const { user, wallet, connection } = caller;
  if (connection !== undefined) throw new MarketError('wrong_credential');
  if (user !== undefined) return { userId: user.id };
  if (wallet === undefined) throw new MarketError('unauthenticated');
  return { wallet: wallet.address, contracts: contractsOf(caller) };
}

export async function requireAccount({ database: { db } }: Pick<ClosingContext, 'database'>, person: ClosingPerson): Promise<void> {
  if ('userId' in person && (await findUser(db, person.userId)) === undefined) throw new MarketError('user_not_found');
}

/** Call it outside of the transaction, because it asks chains. The transaction asks the database again. */
export async function requireNothingOpen(context: ClosingContext, subject: ClosingSubject): Promise<void> {
  refuseOpen([...(await listOpenThings(context.database.db, subject)), ...(await listBalances(context, subject.agents))]);
}

export function ruleOf({ clock, payoutChangeDelaySeconds }: ClosingContext) {
  return { now: clock.now(), payoutChangeDelaySeconds };
}

export function closeAccount(context: ClosingContext): HandlersOf<'account'>['close'] {
  return async ({ close_agents: closesAgents }, call) => {
    const person = personIn(call);
    await requireAccount(context, person);
    const agents = closesAgents ? await listClosableAgents(context.database.db, person, ruleOf(context)) : [];
    const subject = { person, agents };
    await requireNothingOpen(context, subject);
    return await call.commit(async (tx) => {
      const wait = await findWait(tx, context, call, person);
      if (wait === undefined || !('userId' in person)) return { data: await close(tx, context, subject) };
      return {
        data: {
          ...(await holdClosing(tx, context, call, { userId: person.userId, closesAgents, wait })),
          closed_at: null,
          closed_agents: [],
        },
      };
    });
  };
}

/** Why the closing of an account has to wait. A wallet without an account signs for itself and never waits. */
async function findWait(tx: Tx, context: ClosingContext, call: Call, person: ClosingPerson): Promise<string | undefined> {
  if ('userId' in person) return await findWaitOfAccount(tx, call, context);
  await call.requireCustodySignature(tx, person.wallet);
  return undefined;
}

/** A second call returns the closing that already waits. */
async function holdClosing(
  tx: Tx,
  context: ClosingContext,
  call: Call,
  { userId, closesAgents, wait }: { readonly userId: string; readonly closesAgents: boolean; readonly wait: string },
) {
  const [waiting] = await listWaitingClosings(tx, `user:${userId}`, []);
  if (waiting !== undefined) return presentWait(waiting, wait);
  const move = await holdMove(tx, context, call, {
    owner: `user:${userId}`,
    kind: 'account_closing',
    agentId: null,
    topic: null,
    summary: `Close the account for ever${closesAgents ? ', with its agents' : ''}.`,
    payload: { close_agents: closesAgents },
  });
  return presentWait(move, wait);
}
