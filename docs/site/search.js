// The search field of the site: a classic script, because a browser loads no module from disk.
{
  const up = document.documentElement.dataset.up;
  const field = document.getElementById('search');
  const list = document.getElementById('found');
  let search;

  /** The index is loaded when somebody is about to search. */
  const load = (name) =>
    new Promise((resolve, reject) => {
      const script = document.createElement('script');
      script.src = up + name;
      script.onload = resolve;
      script.onerror = reject;
      document.head.append(script);
    });

  const prepare = async () => {
    await Promise.all([load('minisearch.js'), load('search-index.js')]);
    const made = new MiniSearch({
      fields: ['heading', 'page', 'text'],
      storeFields: ['heading', 'page'],
      searchOptions: { boost: { heading: 4, page: 2 }, prefix: true, fuzzy: 0.1, combineWith: 'AND' },
    });
    made.addAll(globalThis.searchSections);
    return made;
  };

  const show = async () => {
    search ??= prepare();
    const found = (await search).search(field.value).slice(0, 12);
    const rows = found.map(({ id, page, heading }) => {
      const row = document.createElement('li');
      const link = document.createElement('a');
      link.href = up + id;
      link.textContent = page === heading ? page : `${page}: ${heading}`;
      row.append(link);
      return row;
    });
    if (rows.length === 0) rows.push('nothing found');
    list.replaceChildren(...rows);
    list.hidden = field.value === '';
  };

  field.addEventListener('input', () => void show());
  field.addEventListener('keydown', ({ key }) => {
    if (key === 'Enter') list.querySelector('a')?.click();
  });
  // A section of this page: nothing is loaded, and the list would hide it.
  list.addEventListener('click', () => {
    list.hidden = true;
  });
}
