import { nameIntent } from '../../platform/intent-name.ts';
import type { Owner } from './vault-repository.ts';

/** Of the withdrawal that follows `earlier` ones of this owner from this vault. */
export function withdrawalIdOf(vaultKey: string, { kind, id }: Owner, earlier: number): string {
  return nameIntent('wdr', `earn withdrawal ${vaultKey} ${kind} ${id} ${earlier}`);
}
