// PostgreSQL refuses to run as root, so root runs it under an unprivileged account; other users run it as themselves.
import { chownSync, existsSync, readFileSync, statSync } from 'node:fs';

export interface PostgresAccount {
  readonly uid: number;
  readonly gid: number;
}

/** The account that must own the files and run the server; undefined means our own account. */
export function choosePostgresAccount(folder: string): PostgresAccount | undefined {
  if (process.getuid === undefined) {
    throw new Error('The embedded PostgreSQL runs on Linux and macOS only. Set DATABASE_URL to a PostgreSQL server.');
  }
  const ourUid = process.getuid();
  const owner = existsSync(folder) ? statSync(folder) : undefined;
  if (ourUid === 0) {
    // An existing cluster stays with its owner: accounts may have been added to the machine since it was made.
    return owner !== undefined && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : findUnprivilegedAccount();
  }
  if (owner !== undefined && owner.uid !== ourUid) {
    throw new Error(`${folder} belongs to another account (uid ${owner.uid}). Run as that account, or set DATA_DIR to another folder.`);
  }
  return undefined;
}

function findUnprivilegedAccount(): PostgresAccount {
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  for (const name of ['postgres', 'nobody']) {
    const account = accounts.find((fields) => fields[0] === name);
    if (account !== undefined) return { uid: Number(account[2]), gid: Number(account[3]) };
  }
  throw new Error(
    'PostgreSQL cannot run as root and there is no account named postgres or nobody. Run as an ordinary user, or set DATABASE_URL.',
  );
}

export function giveToAccount(account: PostgresAccount | undefined, path: string): void {
  if (account !== undefined) chownSync(path, account.uid, account.gid);
}
