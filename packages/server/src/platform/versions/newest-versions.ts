/** The newest versions this process has read. Moments are totally ordered, so of two the one with more changes is the later. */
import { type DataVersions, versionedTables } from './data-versions.ts';

export interface NewestVersions {
  note(versions: DataVersions): void;
  /** These, or the newest ones known. Whatever is read from now on is at least as new. */
  orNewer(versions: DataVersions): DataVersions;
}

export function newestVersions(): NewestVersions {
  let newest: DataVersions | undefined;
  return {
    note(versions) {
      if (newest === undefined || isLater(versions, newest)) newest = versions;
    },
    orNewer: (versions) => (newest !== undefined && isLater(newest, versions) ? newest : versions),
  };
}

/** The epoch is the time at which the database was started. */
function isLater(a: DataVersions, b: DataVersions): boolean {
  if (a.epoch !== b.epoch) return Number(a.epoch) > Number(b.epoch);
  return a.changesOf(versionedTables) > b.changesOf(versionedTables);
}
