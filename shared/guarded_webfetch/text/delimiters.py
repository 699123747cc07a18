"""Control tokens, tags, brackets and headings of chat templates and agent tools, as patterns on a reading (see reading.py).

Each pattern matches what stands before the place where one backslash breaks the delimiter. Sources: the chat templates that
model makers publish (ChatML, Llama 2 to 4, Gemma, Mistral, DeepSeek, Harmony, Command-R, Qwen, GLM, EXAONE, InternLM, Nemotron,
Phi, Granite, Alpaca, Vicuna, OpenChatKit) and the tags that agent clients wrap around tools and notes.
"""

import re
from typing import Final

from guarded_webfetch.text.fence import BRACKETED, NONCE_TAG
from guarded_webfetch.text.lazy_pattern import LazyPattern

_KNOWN_TOKENS: Final = (
    r"\w*(?:im_(?:start|end|sep|middle)|turn_id|header_id|eot(?:_id)?|eom(?:_id)?|begin_of_\w+|end_?of_?\w+|start_of_\w+|python_tag)"
    r"|system|user|assistant|developer|tool|observation|channel|message|start|end|call|return|constrain|separator|bos|eos|pad|sep"
    r"|\w+_TOKEN|tool\w*(?:begin|end)"
)
# Special tokens: <|im_start|>; with blanks only names that are known, since `f <| xs |> g` is code.
_TOKEN: Final = (
    r"<(?=\s?\|[A-Za-z▁][\w▁./:-]{1,40}\|\s?>)"
    rf"|<(?=\s{{0,2}}\|\s{{0,2}}/?(?:{_KNOWN_TOKENS})\s{{0,2}}\|\s{{0,2}}>)"
    r"|\[(?=\s?\|[A-Za-z][\w ]{1,30}\|\s?\])"  # EXAONE, Baize
)
TOKEN: Final = LazyPattern(_TOKEN, re.IGNORECASE)
TOKEN_IN_CODE: Final = LazyPattern(
    r"<(?=\|[A-Za-z▁][\w▁.-]{2,40}\|>)|\[(?=\|(?:system|user|assistant|endofturn|human|ai)\|\])", re.IGNORECASE
)

_TOOLS: Final = (
    r"(?:\w{1,12}:)?(?:function_?(?:calls?|results?|responses?)|invoke|parameter(?=\s+name)|(?:function|parameter)(?==)|arg_(?:key|value)"
    r"|tools?[-_](?:calls?|results?|responses?|use|code|outputs?|definitions?|name|input)|available_tools|tools|observation|mcp[-_]\w{2,20})"
    r"|(?:local-)?command-(?:name|message|args|contents|stdout|stderr|caveat)|bash-(?:input|stdout|stderr)"
)
_SPEAKERS: Final = (
    r"system|developer|assistant|admin|operator"
    r"|system[-_](?:reminder|prompt|messages?|instructions?|info|note|notice|alert|update|override|context|warning|directive|policy|command)s?"
    r"|(?:user|human|assistant|developer|ai|admin|agent)[-_](?:messages?|prompt|query|input|requests?|instructions?|response|turn|reply"
    r"|content|context|approval|consent|note|reminder|prompt-submit-hook)"
    r"|(?:new|hidden|secret|updated|important|priority|override|initial|real)[-_](?:instructions?|prompt|task|orders?|system)"
)
_THOUGHTS: Final = r"thinking|think|thoughts?|antthinking|scratchpad|reasoning|reflection|inner_monologue|answer"
_WRAPPERS: Final = (
    r"(?:untrusted|external|retrieved|fetched|web[-_]?page|web[-_]?site|web|page|search|documents?|website|retrieval|browser|email|file|rag|kb)"
    r"[-_](?:contents?|data|text|results?|page|outputs?|context|input|documents?|body|source|messages?|block)"
    r"|information|instructions?|important|untrusted|情報|指示|システム"
)
_MARKERS: Final = (
    r"(?:start|end|begin)_?of_?(?:turn|text|sentence|image|page|document|message|human|assistant|utterance|prompt|context)"
    r"|im_(?:start|end|sep)|bos|eos|eot|eoh|eoa|eop|sop|soh|gmask|extra_id_\d{1,3}|special_\d{1,3}|reserved_\d{1,3}|unused\d{1,3}"
    r"|fim_(?:prefix|suffix|middle)|tokens_unused_\d{1,3}"
)
_TAGS: Final = f"{_TOOLS}|{_SPEAKERS}|{_THOUGHTS}|{_WRAPPERS}|{_MARKERS}|{NONCE_TAG}"
TAG: Final = LazyPattern(
    rf"<(?=/?(?:{_TAGS})(?:[\s/>=]|$))|<(?=\s{{0,2}}/?\s{{0,2}}(?:{_TAGS})\s{{0,2}}/?>)|<(?=/s>)"
    r"|<(?=/?(?:user|human|bot|ai|model)>[ \t]?(?::|\n|$))",
    re.IGNORECASE,
)
TAG_IN_CODE: Final = LazyPattern(
    r"<(?=/?(?:antml:|function_calls>|invoke name=|system-reminder[\s>]|(?:start|end)_of_turn>|tool_calls?>|im_(?:start|end)>"
    r"|function_results>|untrusted[-_]|command-name>|local-command-))",
    re.IGNORECASE,
)
# Elements that frame outside text: closing one that the text itself never opened can only mean to end a frame around it.
FRAME: Final = LazyPattern(
    r"<(?=(?P<closing>\s?/)?\s?(?P<name>documents?|contexts?|contents?|results?|inputs?|pages?|files?|web|website|webpage|messages?|conversation|history"
    r"|observation|response|query|question|external|tools?|function|user|human|prompt|task|email|snippet|passage|chunk|note|reference"
    r"|references|sources|articles|rules|policy|example|examples|memory|state|transcript|quote|quoted|raw|payload|tool_name)[\s>])",
    re.IGNORECASE,
)

_BRACKETS: Final = (
    r"INST|SYS|SYSTEM(?:_PROMPT)?|AVAILABLE_TOOLS|TOOL_(?:CALLS|RESULTS|CONTENT)|MODEL_SETTINGS|CALL_ID|ARGS|THINK|gMASK|ASSISTANT|USER|HUMAN"
    r"|ADMIN|DEVELOPER|system|System|inst|Inst|assistant"
)
_NOTES: Final = (
    r"(?:SYSTEM|System|ADMIN|Admin|DEVELOPER|Developer|ASSISTANT|Assistant|AI)[ _-]"
    r"(?:MESSAGE|NOTE|NOTICE|PROMPT|OVERRIDE|ALERT|UPDATE|INSTRUCTIONS?|COMMAND|DIRECTIVE"
    r"|[Mm]essage|[Nn]otes?|[Nn]otice|[Pp]rompt|[Oo]verride|[Aa]lert|[Uu]pdate|[Ii]nstructions?|[Cc]ommand|[Dd]irective)"
)
BRACKET: Final = LazyPattern(
    rf"\[(?=\s?/?\s?(?:{_BRACKETS})\s?\](?!\())|\[(?=(?:{_NOTES})\s?[:\]])|\[(?=SYSTEM:)"
    r"|\[(?=(?:system|user|assistant)\]\(#(?:context|message|inner_monologue|additional_instructions|instructions|error|suggestions)\))"
    r"|<(?=<\s?/?\s?(?:SYS|SYSTEM|USER|HUMAN|ASSISTANT|INST)\s?>>)|\{(?=\{#(?:system|user|assistant)~?\}\})"
)
BRACKETED_FENCE: Final = LazyPattern(rf"\[(?={BRACKETED})", re.IGNORECASE)
BRACKET_IN_CODE: Final = LazyPattern(
    r"\[(?=/?(?:INST|AVAILABLE_TOOLS|TOOL_(?:CALLS|RESULTS|CONTENT)|SYSTEM_PROMPT)\])|<(?=</?SYS>>)"
)

_ROLES: Final = (
    r"(?:system(?:[ _](?:message|prompt|note|override|instructions?))?|(?:new |user )?instructions?|response|assistant|human|user"
    r"(?:[ _](?:message|query|input))?|input|developer(?:[ _]message)?)"
)
# At the start of a line, and in a title, where lines were joined.
HEADING: Final = LazyPattern(
    rf"(?:^[ \t]*#|(?<=[ \t])#(?=##?#?[ ]))(?=#{{0,5}}[ ]{{0,2}}(?:\({_ROLES}\)|\*{{0,2}}{_ROLES}\*{{0,2}}[ ]?:)"
    r"|##[ ]?(?:instruction|response|human|assistant)[ ]?$)",
    re.IGNORECASE | re.MULTILINE,
)
# Where the structure around a text is ours, a fence in it would turn the blocks behind it inside out.
CODE_FENCE: Final = LazyPattern(r"^[ \t]{0,3}(?=`{3}|~{3})", re.MULTILINE)
ROLE_KEY: Final = LazyPattern(
    r"^[ \t]{0,4}(?=role[ ]?:[ ]?[\"']?(?:system|developer|assistant)\b)", re.IGNORECASE | re.MULTILINE
)

# Messages and tool calls of chat interfaces, written as JSON in running text.
JSON: Final = LazyPattern(
    r"""["'](?=role["']\s{0,3}:\s{0,3}["'](?:system|developer|assistant|tool|function)["']"""
    r"""|(?:tool_calls?|function_calls?|tool_use|tool_results?)["']\s{0,3}:\s{0,3}[\[{]|jsonrpc["']\s{0,3}:\s{0,3}["']2\.0["']"""
    r"""|type["']\s{0,3}:\s{0,3}["'](?:tool_use|tool_result|server_tool_use|function_call|function_call_output|mcp_tool_use)["'])""",
    re.IGNORECASE,
)
