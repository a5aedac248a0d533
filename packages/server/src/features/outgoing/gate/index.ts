/** The gate of money out: every holder is compared with its chain before anything leaves it. */

export type { Holder, Stranger } from './holder.ts';
export { listUnasked } from './other-networks.ts';
export { createOutflowGate, type OutflowGate, startComparing } from './outflow-gate.ts';
export { reconcileHolders } from './reconcile.ts';
export {
  closeOutflow,
  type FoundOutflow,
  findFound,
  insertFound,
  openOutflow,
  readOutflowClosed,
  takeFound,
  takeFoundIn,
} from './repository.ts';
