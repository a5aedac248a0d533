/** Names what is asked of a venue after what it is for. */
import { nameIntent } from '../../platform/intent-name.ts';

export function intentIdOf(kind: string, subjectId: string, number: number): string {
  return nameIntent('evi', `earn ${kind} ${subjectId} ${number}`);
}
