/** Signing and reading of registrations on chain, and the writes at their end. `agent-wallets` carries each as a movement. */
import type { AgentRegistrar, PlannedRegistration } from '../../../platform/chains/agent-registrar.ts';
import { type Chain, ChainUnavailable } from '../../../platform/chains/chain.ts';
import type { Clock } from '../../../platform/clock/clock.ts';
import { reachCrashPoint } from '../../../platform/crash-points.ts';
import type { Database, Db, Tx } from '../../../platform/db/database.ts';
import type { EventLog } from '../../../platform/events/event-log.ts';
import { appendOwnerEvent, type MintMovements, type MovementRow } from '../../agent-wallets/index.ts';
import { findAgent } from '../../agents/index.ts';
import { endRegistration, findRegistration, lockRegistration, type RegistrationRow, writeAgentIdentity } from './repository.ts';

export interface RegistrationContext {
  readonly database: Database;
  readonly clock: Clock;
  readonly events: EventLog;
}

export function registrationMovements(context: RegistrationContext): MintMovements {
  const { db } = context.database;
  const planOf = async (movement: MovementRow): Promise<PlannedRegistration> => ({
    registry: movement.destination,
    uri: (await requireRegistration(db, movement)).uri,
  });
  return {
    sign: async (movement, chain) => await registrarOf(chain).signRegistration(await planOf(movement)),
    readOutcome: async (movement, chain, signed) => await registrarOf(chain).readOutcome(await planOf(movement), signed),
    isMade: async (movement, chain, last) => (await registrarOf(chain).readAgentId(await planOf(movement), last)) !== undefined,
    findMade: async (movement, chain) => await registrarOf(chain).findRegistered(await planOf(movement)),
    async readMade(movement, chain, reference) {
      const id = await registrarOf(chain).readAgentId(await planOf(movement), reference);
      // Wait for a node that shows the event, because the transaction has landed.
      if (id === undefined) throw new ChainUnavailable(movement.network, `no node shows which agent ${reference} registered`);
      return id;
    },
    confirm: (tx, movement, reference, made) => confirm(context, tx, movement, reference, made),
    fail: (tx, movement, reason) => fail(context, tx, movement, reason),
  };
}

function registrarOf({ registrar, network }: Chain): AgentRegistrar {
  if (registrar === undefined) throw new ChainUnavailable(network, 'this network registers no agents');
  return registrar;
}

async function requireRegistration(db: Db, { id }: MovementRow): Promise<RegistrationRow> {
  const registration = await findRegistration(db, id);
  if (registration === undefined) throw new Error(`${id} registers an agent whose registration is not stored`);
  return registration;
}

async function confirm(context: RegistrationContext, tx: Tx, movement: MovementRow, reference: string, made: string | null): Promise<void> {
  const { clock, events } = context;
  if (made === null) throw new Error(`${movement.id} registered an agent without an id`);
  const { registry } = await requireRegistration(tx, movement);
  const now = clock.now();
  await lockRegistration(tx, movement.agentId);
  await endRegistration(tx, movement.id, { state: 'made', onchainId: made, endedAt: now });
  await writeAgentIdentity(tx, movement.agentId, { erc8004Registry: registry, erc8004AgentId: made, updatedAt: now });
  const agent = await findAgent(tx, movement.agentId);
  if (agent === undefined) throw new Error(`the agent of ${movement.id} is gone`);
  await appendOwnerEvent(tx, { events }, agent, 'agent.onchain_registered', {
    registry,
    onchain_id: made,
    wallet: movement.wallet,
    tx_hash: reference,
  });
  reachCrashPoint('registration.before_made_commit');
}

/** Ends a failed registration, so that the owner may request it again. */
async function fail({ clock, events }: RegistrationContext, tx: Tx, movement: MovementRow, reason: string): Promise<void> {
  await endRegistration(tx, movement.id, { state: 'failed', onchainId: null, endedAt: clock.now() });
  const agent = await findAgent(tx, movement.agentId);
  if (agent !== undefined)
    await appendOwnerEvent(tx, { events }, agent, 'agent.onchain_registration_failed', { action: movement.purpose, reason });
  reachCrashPoint('registration.before_failed_commit');
}
