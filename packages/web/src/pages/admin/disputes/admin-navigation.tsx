import { useNavigation } from '../../../router/router.tsx';
import { adminEntries, entriesThatExist, isCurrent } from '../../../shell/navigation.ts';

/** Navigation of the operator pages. */
export function AdminNavigation() {
  const { visit } = useNavigation();
  return (
    <nav className="side" aria-label="Operator">
      <ul>
        {entriesThatExist(adminEntries).map((entry) => (
          <li key={entry.path}>
            <a href={entry.path} aria-current={isCurrent(entry, visit.path) ? 'page' : undefined}>
              {entry.name}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
