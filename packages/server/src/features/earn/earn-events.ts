/** Appends an event about an owner's deposit or withdrawal. The owner is notified. */
import type { EarnEventData, EarnEventType } from '@market/contract';
import type { Tx } from '../../platform/db/database.ts';
import type { EarnContext } from './earn-context.ts';
import { agentIdOf, nameOfOwner } from './owners.ts';
import type { Owner } from './vault-repository.ts';

type OwnedEvent = Exclude<EarnEventType, 'earn.vault_impaired'>;

export async function appendEarnEvent<T extends OwnedEvent>(
  tx: Tx,
  { events, vaults }: Pick<EarnContext, 'events' | 'vaults'>,
  of: { readonly ownerKind: Owner['kind']; readonly ownerId: string; readonly id: string; readonly vaultKey: string },
  type: T,
  data: Omit<EarnEventData<T>, 'vault_key' | 'deposit_id' | 'withdrawal_id'>,
): Promise<void> {
  const owner: Owner = { kind: of.ownerKind, id: of.ownerId };
  const agentId = agentIdOf(owner);
  const label = vaults.get(of.vaultKey)?.label ?? of.vaultKey;
  await events.append(tx, [
    {
      type,
      subjectId: of.id,
      data: { vault_key: of.vaultKey, [of.id.startsWith('dep_') ? 'deposit_id' : 'withdrawal_id']: of.id, ...data },
      context: { owner: nameOfOwner(owner), link: '/earn/positions', label },
      ...(agentId === null ? { readers: [nameOfOwner(owner)] } : { agentId }),
    },
  ]);
}
