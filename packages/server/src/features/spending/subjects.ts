/** The machine that pays, and the subjects whose policies limit it. */
import { MarketError, type SpendSubject } from '@market/contract';
import { type Caller, walletsOf } from '../../access/caller.ts';

/** The policy of a connected program belongs to the person and the program, so its id is not that of the connection. */
export interface MachineSubject extends SpendSubject {
  /** The id that callers know, if it differs. */
  readonly shownId?: string | null | undefined;
}

/** One machine. The database adds its creators, and the accounts of the people they belong to. */
export interface Machine {
  /** `agent:<id>` or `connection:<id>`. */
  readonly principal: string;
  readonly subjects: readonly MachineSubject[];
}

/** Undefined for people and for anonymous calls: nobody limits those. A key beside a person's own sign-in is still a key. */
export function machineOf({ agent, connection }: Caller): Machine | undefined {
  if (agent === undefined && connection === undefined) return undefined;
  const principal = connection === undefined ? `agent:${agent?.id}` : `connection:${connection.id}`;
  return {
    principal,
    subjects: [
      ...(connection === undefined ? [] : [{ kind: 'connection', id: connection.programId, shownId: connection.id } as const]),
      ...(agent === undefined ? [] : [{ kind: 'agent', id: agent.id } as const]),
    ],
  };
}

/** The subject as callers know it. */
export function shownSubject(subject: SpendSubject | null, rows: readonly MachineSubject[]): SpendSubject | null {
  if (subject === null) return null;
  const { kind, id } = subject;
  return { kind, id: rows.find((row) => row.kind === kind && row.id === id)?.shownId ?? id };
}

/** The accounts of the person who calls, as ids of subjects. */
export function accountsOf(caller: Caller): readonly string[] {
  return [...(caller.user === undefined ? [] : [`user:${caller.user.id}`]), ...walletsOf(caller).map((address) => `wallet:${address}`)];
}

/** Refuses connected programs: they act in a person's name, but only the person decides about spending. */
export function requirePerson(caller: Caller): void {
  if (caller.connection !== undefined) throw new MarketError('forbidden', { message: 'Only the owner in person decides about spending.' });
}
