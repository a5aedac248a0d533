/** The presence of services' agents. Read only for the rows that are shown. */
import type { Db } from '../../../platform/db/database.ts';
import { signsOfLife } from '../../agents/index.ts';

export async function findSignsOfLife(db: Db, serviceIds: readonly string[]) {
  if (serviceIds.length === 0) return [];
  return await db
    .selectFrom('services')
    .innerJoin('agents', 'agents.id', 'services.agentId')
    .select(['services.id', ...signsOfLife])
    .where('services.id', 'in', [...serviceIds] as never)
    .execute();
}
