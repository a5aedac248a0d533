/** Who pays, and whose policies a call is held to. */
import { MarketError, type SpendSubject } from '@market/contract';
import { type Caller, type ConnectionCaller, walletsOf } from '../../access/caller.ts';

/** One machine, and the person it belongs to. */
export interface Machine {
  /** `agent:<id>` or `connection:<id>`. */
  readonly principal: string;
  readonly subjects: readonly SpendSubject[];
  readonly people: People;
}

/** The database adds what is linked: wallets of an account, and the account of a wallet. */
export interface People {
  readonly users: readonly string[];
  readonly wallets: readonly string[];
}

/**
 * Undefined for people and for anonymous calls: nobody limits those. A key beside a person's own sign-in is still a key. Only a proven owner
 * counts: a stranger could use up the limit of a wallet that they merely named.
 */
export function machineOf({ agent, connection }: Caller): Machine | undefined {
  if (agent === undefined && connection === undefined) return undefined;
  const principal = connection === undefined ? `agent:${agent?.id}` : `connection:${connection.id}`;
  return {
    principal,
    subjects: [
      ...(connection === undefined ? [] : [{ kind: 'connection', id: connection.id } as const]),
      ...(agent === undefined ? [] : [{ kind: 'agent', id: agent.id } as const]),
    ],
    people: {
      users: [agent?.ownerUserId, idOf(connection, 'user:')].filter((id) => id !== undefined && id !== null),
      wallets: [agent?.ownerWallet, idOf(connection, 'wallet:')].filter((one) => one !== undefined && one !== null),
    },
  };
}

/** The person who connected the program. A signature among its arguments may be of anybody. */
function idOf(connection: ConnectionCaller | undefined, kind: 'user:' | 'wallet:'): string | undefined {
  return connection?.person.startsWith(kind) === true ? connection.person.slice(kind.length) : undefined;
}

/** The accounts of the person who calls, as ids of subjects. */
export function accountsOf(caller: Caller): readonly string[] {
  return [...(caller.user === undefined ? [] : [`user:${caller.user.id}`]), ...walletsOf(caller).map((address) => `wallet:${address}`)];
}

/** A connected program acts in a person's name; what that person alone decides is not for it. */
export function requirePerson(caller: Caller): void {
  if (caller.connection !== undefined) throw new MarketError('forbidden', { message: 'Only the owner in person decides about spending.' });
}
