/** Restores: recognises a restored database by its identity, and ends the powers that it gave back to people. */

export { type EndedPowers, handleRestore } from './handle-restore.ts';
export { isSameDatabase } from './repository.ts';
