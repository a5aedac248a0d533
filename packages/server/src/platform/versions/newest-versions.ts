/** The newest versions that this process has read. Moments are totally ordered, so more changes mean later. */
import { type DataVersions, versionedTables } from './data-versions.ts';

export interface NewestVersions {
  note(versions: DataVersions): void;
  /** `versions`, or the newest ones known if those are newer. Data read from now on is at least as new. */
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

/** The epoch is the time when the database started. */
function isLater(a: DataVersions, b: DataVersions): boolean {
  if (a.epoch !== b.epoch) return Number(a.epoch) > Number(b.epoch);
  return a.changesOf(versionedTables) > b.changesOf(versionedTables);
}
