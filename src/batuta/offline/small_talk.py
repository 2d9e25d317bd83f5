"""What people say to any assistant, and what no team here can know, as intents of the built-in model's own."""

from batuta.language.understanding import Intent, Understanding

OWN = ""
"""The agent id of what the built-in model answers itself."""
OUTSIDE = "outside"

_EXAMPLES: dict[str, tuple[str, str]] = {
    "greeting": (
        "hi | hello | hey there | hey how's everything |  good morning | good afternoon everyone | hello team | hi how is it going | howdy",
        "hola | buenas | buenos días | ey qué tal todo | qué tal va todo | hola equipo | buenas tardes | hey hola | saludos | qué tal",
    ),
    "thanks": (
        "thanks | thank you very much | thx | cheers mate | great, thank you | perfect thanks | that helped a lot thanks | thanks a million | much appreciated | ty",
        "gracias | muchas gracias | mil gracias | genial, gracias | perfecto, gracias | vale gracias | te lo agradezco | mil gracias por todo | gracias majo",
    ),
    "farewell": (
        "bye | goodbye | that's all for now | that will be all, thanks | I'm done for today | see you later | good night | see you tomorrow | talk to you later",
        "adiós | hasta luego | nada más por ahora | con eso es todo, gracias | ya he terminado por hoy | hasta mañana | nos vemos | chao | buenas noches | hasta pronto",
    ),
    "agreement": (
        "ok | okay | great | perfect | sounds good | got it | understood | cool | nice | fine | awesome | amazing | wow | good | right | that's great | sweet",
        "vale | perfecto | de acuerdo | genial | entendido | muy bien | estupendo | ok vale | bien | guay | mola | qué bien | fantástico | increíble | de lujo | dale | buenísimo",
    ),
    "help": (
        "help | what can you do? | what sort of things can you do | what kind of questions can I ask you | how can you help me | what do you know | how does this work | what can I ask you | "
        "help me please | show me what you can do | what are your capabilities | who can help me here | what are you able to do | what are you good for | what can I use you for",
        "ayuda | ¿qué puedes hacer? | qué tipo de cosas puedes hacer | qué clase de preguntas te puedo hacer | qué sabes hacer | cómo funciona esto | en qué me puedes ayudar | qué te puedo "
        "preguntar | ayúdame por favor | para qué sirves | qué cosas haces | qué podéis hacer | qué eres capaz de hacer | para qué te puedo usar",
    ),
    "identity": (
        "who are you? | what are you | are you a human? | are you a robot | what is your name | what languages do you understand | do you speak English | are you chatgpt | which model "
        "are you | are you an ai | are you a real person | am I talking to a human | who made you? | who built you | who created you | who is behind this",
        "¿quién eres? | qué eres | eres una persona | eres un robot | cómo te llamas | qué idiomas entiendes | hablas español | eres chatgpt | qué modelo eres | eres "
        "una ia | eres una persona real | estoy hablando con un humano | ¿quién te ha creado? | quién te hizo | quién te ha programado | quién está detrás de esto",
    ),
    "wellbeing": (
        "how are you? | how are you doing today | how is it going? | are you ok | how do you feel | how is everything with you",
        "¿cómo estás? | qué tal estás | cómo te va | todo bien? | cómo va la cosa | cómo te sientes",
    ),
    OUTSIDE: (
        "what's the weather like tomorrow in Madrid? | will it rain today | tell me a joke | write a poem about the sea | "
        "who won the world cup | latest news | what is the stock price of Apple | translate this text to French | send an "
        "email to Ana | order a pizza | play some music | what is the capital of France | recommend a restaurant | book a "
        "flight to Paris | who is the president of the United States | write me a python script | exchange rate of the dollar "
        "| how do I cook paella | what is the meaning of life | summarise this web page | turn on the lights | set an alarm for 6 | wake me up tomorrow at 6 | is it going to snow on Monday | recommend me a series for tonight | suggest a book for the weekend | start a timer of ten minutes | what's the temperature in Rome | how warm is it outside | is it going to snow in winter | how do you say good morning in Russian | what does this word mean | write a birthday card for my father | write a speech for a wedding | find cheap flights to Berlin | who invented the telephone | when was Napoleon born | how many calories has an apple | what should I eat tonight | which film won the oscar | what are the symptoms of the flu | give me a recipe for soup | show me the way to the station | what is the best city to live in | tell me a story | read my emails | post this on twitter | make a logo | generate an image | who is going to win the election | solve this riddle | what's new in the world | what is the best phone to buy | how is the traffic to the city | what's on tv | what is on television tonight | book a table for four in an Italian restaurant | reserve a table at a restaurant tonight at 8 | get me two tickets for the concert on friday | play a bit of rock | translate this to german: good night | find me a hotel "
        "in Rome | what movie should I watch | how tall is the Eiffel tower | call me a taxi | what's the score of the game | "
        "give me medical advice | how many people live in China | write an essay about the war | draw me a picture of a cat | "
        "how old are you | do you love me | sing a song | bitcoin price | how far is the moon | convert 100 dollars to euros | "
        "how many euros are 50 pounds | translate hello into spanish | send a message to Pedro | print the contract | scan this page | translate good night into italian | delete my account | delete everything | remove all my data | erase all the documents | change my password | reset my password | my printer does not work | who is my boss | forecast next quarter | predict the sales of next year | can you forecast demand for december | what will we sell next month",
        "¿qué tiempo hace mañana en Madrid? | qué tiempo hará el domingo | qué tiempo va a hacer el lunes | va a llover hoy | cuéntame un chiste | escribe un poema sobre el mar | quién "
        "ganó el mundial | últimas noticias | a cuánto cotiza Apple | traduce este texto al francés | envía un correo a Ana | "
        "pide una pizza | pon música | cuál es la capital de Francia | recomiéndame un restaurante | reserva un vuelo a París "
        "| quién es el presidente de Estados Unidos | escríbeme un programa en python | tipo de cambio del dólar | cómo se "
        "hace una paella | cuál es el sentido de la vida | resume esta página web | enciende las luces | pon una alarma a las 6 | ponme una alarma el lunes a las 6 | despiértame mañana a las 6 | nevará el lunes | recomiéndame una serie para esta noche | recomiéndame un libro | pon un temporizador de diez minutos | qué temperatura hace en Roma | hace calor fuera | va a nevar en invierno | cómo se dice buenos días en ruso | qué significa esta palabra | escribe una felicitación para mi padre | escribe un discurso para una boda | busca vuelos baratos a Berlín | quién inventó el teléfono | cuándo nació Napoleón | cuántas calorías tiene una manzana | qué ceno esta noche | qué película ganó el óscar | qué síntomas tiene la gripe | dame una receta de sopa | cómo llego a la estación | cuál es la mejor ciudad para vivir | cuéntame una historia | lee mis correos | publica esto en twitter | hazme un logo | genera una imagen | quién va a ganar las elecciones | resuelve este acertijo | qué pasa en el mundo | cuál es el mejor móvil que puedo comprar | cómo está el tráfico hacia el centro | qué ponen en la tele | qué echan esta noche en televisión | reserva una mesa para cuatro en un restaurante italiano | reserva mesa en un restaurante esta noche a las 8 | cómprame dos entradas para el concierto del viernes | pon algo de rock | reproduce una canción | traduce esto al alemán: buenos días | búscame un hotel en "
        "Roma | qué película puedo ver | cuánto mide la torre Eiffel | llama a un taxi | cómo va el partido | dame un consejo "
        "médico | cuánta gente vive en China | escribe una redacción sobre la guerra | dibuja un gato | cuántos años tienes | "
        "me quieres | canta una canción | precio del bitcoin | a qué distancia está la luna | convierte 100 dólares a euros | "
        "cuántos euros son 50 libras | traduce hola al inglés | manda un mensaje a Pedro | imprime el contrato | escanea esta hoja | traduce buenas noches al italiano | elimina mi cuenta | bórralo todo | borra todos mis datos | elimina todos los documentos | cambia mi contraseña | quiero cambiar la contraseña | no me funciona la impresora | quién es mi jefe | previsión del próximo trimestre | predice las ventas del año que viene | puedes prever la demanda de diciembre | cuánto venderemos el mes que viene",
    ),
}  # fmt: skip


def _listed(text: str) -> tuple[str, ...]:
    return tuple(each.strip() for each in text.split("|"))


SMALL_TALK = Understanding(
    agent_id=OWN,
    name="Batuta",
    intents=tuple(
        Intent(id=name, examples={"en": _listed(english), "es": _listed(spanish)})
        for name, (english, spanish) in _EXAMPLES.items()
    ),
)
