-- What the stop words of a Snowball language become when accents are folded, where that is no stop word itself.
--
-- language: the name of a text search configuration of pg_catalog.
-- Returns   a regular expression that matches such a word, to be used without regard to case; null where there is none.
--
-- The lists are PostgreSQL's (share/tsearch_data/*.stop), which no SQL can read: `für` is a stop word of German and `fur`
-- is in no list, so `german+fold` would keep it. What stands here is made of those files, and compared with them by a test.
CREATE FUNCTION ragspine.folded_stop_words_v1(language text)
RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT '\m(?:' || CASE language
           WHEN 'danish' THEN
             'nar|ogsa|pa|sadan|vaere|vaeret'
           WHEN 'finnish' THEN
             'eivat|etta|han|haneen|hanella|hanelle|hanelta|hanen|hanessa|hanesta|hanet|hanta|heidan|heidat|heilla|'
             'heilta|heissa|heista|heita|keilla|keilta|keina|keissa|keista|keita|kenella|kenelta|kenena|kenessa|'
             'kenesta|keta|ketka|meidan|meidat|meilla|meilta|meissa|meista|meita|mika|milla|milta|mina|minka|missa|'
             'mista|mita|mitka|naiden|naihin|naiksi|nailla|naille|nailta|naina|naissa|naista|naita|nama|niilla|niilta|'
             'niina|niissa|niista|niita|seka|siina|siita|silla|silta|sina|sita|tahan|taksi|talla|talle|talta|tama|'
             'taman|tana|tassa|tasta|tata|teidan|teidat|teilla|teilta|teissa|teista|teita|tuota'
           WHEN 'french' THEN
             'a|etaient|etais|etait|etant|etante|etantes|etants|ete|etee|etees|etes|etiez|etions|eumes|eutes|fumes|'
             'futes|meme'
           WHEN 'german' THEN
             'dass|fur|konnen|konnte|uber|wahrend|wurde|wurden'
           WHEN 'hungarian' THEN
             'altal|altalaban|amig|arrol|at|azert|aztan|azutan|bar|belul|egesz|egyeb|eleg|elo|eloszor|elott|elso|en|'
             'eppen|es|ezert|fele|igy|ismet|jo|jol|keressunk|keresztul|kivul|kozott|kozul|legalabb|magat|mar|mas|'
             'masik|miert|mig|neha|nehany|nelkul|o|ok|oket|ossze|ra|sajat|szamara|talan|tehat|tobb|tovabb|tovabba|ugy|'
             'uj|ujabb|ujra|utan|utana|utolso|valo'
           WHEN 'italian' THEN
             'avra|avro|fara|faro|perche|piu|sara|saro|stara|staro'
           WHEN 'norwegian' THEN
             'a|bade|bae|hja|na|nar|ogsa|pa|sa|sann|sjol|vaere|vaert'
           WHEN 'portuguese' THEN
             'ate|eramos|estao|estavamos|estiveramos|estivessemos|foramos|fossemos|ha|hao|houveramos|houverao|'
             'houveriamos|houvessemos|ja|nao|sao|sera|serao|seriamos|so|tambem|tera|terao|teriamos|tinhamos|tiveramos|'
             'tivessemos|voce|voces'
           WHEN 'spanish' THEN
             'eramos|estabamos|estais|estan|estara|estaran|estaras|estare|estareis|estaria|estariais|estariamos|'
             'estarian|estarias|esteis|esten|estes|estuvieramos|estuviesemos|fueramos|fuesemos|habeis|habia|habiais|'
             'habiamos|habian|habias|habra|habran|habras|habre|habreis|habria|habriais|habriamos|habrian|habrias|'
             'hayais|hubieramos|hubiesemos|mas|mia|mias|mio|mios|seais|sera|seran|seras|sere|sereis|seria|seriais|'
             'seriamos|serian|serias|si|tambien|tendra|tendran|tendras|tendre|tendreis|tendria|tendriais|tendriamos|'
             'tendrian|tendrias|teneis|tengais|tenia|teniais|teniamos|tenian|tenias|tuvieramos|tuviesemos'
           WHEN 'swedish' THEN
             'an|ar|at|da|dar|for|fran|nagon|nagot|nagra|nar|over|pa|sa|sadan|sadana|sadant|sjalv|varfor'
           WHEN 'turkish' THEN
             'aslinda|bazi|birkac|birsey|cok|cunku|eger|hic|icin|mi|nasil|nicin|sey|su|tum'
         END || ')\M'
$$;

COMMENT ON FUNCTION ragspine.folded_stop_words_v1(text) IS 'Stop words of a language that have accents, folded, as an expression.';
